create table organizations (
  id text primary key,
  name text not null,
  slug text not null,
  logo text,
  metadata json,
  created_at timestamptz(3) not null default now(),
  constraint organizations_slug_key unique (slug),
  constraint organizations_slug_check check (slug ~ '^[a-z0-9-]{1,64}$')
);

create table teams (
  id text primary key,
  organization_id text not null,
  name text not null,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3),
  constraint teams_organization_id_fkey foreign key (organization_id) references organizations (id) on delete cascade
);
create index teams_organization_id_idx on teams (organization_id);

create table members (
  id text primary key,
  organization_id text not null,
  user_id text not null,
  role text not null default 'member',
  team_id text,
  created_at timestamptz(3) not null default now(),
  constraint members_organization_id_user_id_key unique (organization_id, user_id),
  constraint members_organization_id_fkey foreign key (organization_id) references organizations (id) on delete cascade,
  constraint members_user_id_fkey foreign key (user_id) references users (id) on delete cascade,
  constraint members_team_id_fkey foreign key (team_id) references teams (id) on delete set null
);
create index members_user_id_idx on members (user_id);
create index members_team_id_idx on members (team_id);
comment on column members.role is 'role names, comma-separated without blanks';

create table invitations (
  id text primary key,
  organization_id text not null,
  email text not null,
  role text not null,
  status text not null default 'pending',
  team_id text,
  inviter_id text not null,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  constraint invitations_status_check check (status in ('pending', 'accepted', 'rejected', 'canceled')),
  constraint invitations_organization_id_fkey foreign key (organization_id) references organizations (id) on delete cascade,
  constraint invitations_team_id_fkey foreign key (team_id) references teams (id) on delete set null,
  constraint invitations_inviter_id_fkey foreign key (inviter_id) references users (id) on delete cascade
);
create unique index invitations_organization_id_email_key on invitations (organization_id, email) where status = 'pending';
create index invitations_organization_id_idx on invitations (organization_id, created_at);
create index invitations_email_idx on invitations (email) where status = 'pending';
create index invitations_team_id_idx on invitations (team_id);
create index invitations_inviter_id_idx on invitations (inviter_id);

-- A session never points to an organization that is gone, whoever deleted it.
update sessions set active_organization_id = null where active_organization_id is not null;
alter table sessions add constraint sessions_active_organization_id_fkey
  foreign key (active_organization_id) references organizations (id) on delete set null;
create index sessions_active_organization_id_idx on sessions (active_organization_id) where active_organization_id is not null;
