-- works with 0003_organizations.sql
-- How many people there are, without counting them: each that comes or goes is one row here, so that nobody waits for anybody
-- else, and the sweep adds the rows up.
create table user_count_changes (
  id bigint primary key generated always as identity,
  change bigint not null
);
comment on table user_count_changes is 'the sum is the number of users that are people';

create function note_user_count() returns trigger language plpgsql as $$
begin
  insert into user_count_changes (change) values (case tg_op when 'INSERT' then 1 else -1 end);
  return null;
end
$$;
create trigger users_count_inserted after insert on users for each row when (new.organization_id is null)
  execute function note_user_count();
create trigger users_count_deleted after delete on users for each row when (old.organization_id is null)
  execute function note_user_count();
-- After the triggers, whose lock keeps everybody else from writing until they hold.
insert into user_count_changes (change) select count(*) from users where organization_id is null;

-- People name an id by how it ends.
create index users_id_end_idx on users (reverse(id) collate "C");
