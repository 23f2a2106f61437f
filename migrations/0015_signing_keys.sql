-- works with 0003_organizations.sql
create table signing_keys (
  id text primary key,
  algorithm text not null,
  public_key jsonb not null,
  private_key bytea not null,
  token_life integer not null,
  created_at timestamptz(3) not null default now(),
  signs_from timestamptz(3) not null,
  published_until timestamptz(3)
);
-- However many processes make a key at once: one of them is the newest.
create unique index signing_keys_newest_key on signing_keys ((published_until is null)) where published_until is null;
comment on table signing_keys is 'what signs tokens for other services';
comment on column signing_keys.private_key is 'encrypted under a key of its own, for this row alone';
comment on column signing_keys.token_life is 'seconds that a token which it signs may live';
comment on column signing_keys.signs_from is 'until then it is only published, so that whoever verifies tokens knows it in time';
comment on column signing_keys.published_until is 'when every token that it signed has expired; null: the newest key';
