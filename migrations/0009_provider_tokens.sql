-- works with 0003_organizations.sql
-- Nothing wrote these columns before: what providers gave us is kept encrypted.
alter table accounts
  drop column access_token,
  drop column refresh_token,
  drop column id_token,
  add column access_token bytea,
  add column refresh_token bytea,
  add column id_token bytea,
  add column callback_fields jsonb,
  add column tokens_version integer not null default 0,
  add column refreshing_until timestamptz(3);
comment on column accounts.access_token is 'encrypted under a key of its own, for this row and this column alone';
comment on column accounts.refresh_token is 'encrypted under a key of its own, for this row and this column alone';
comment on column accounts.id_token is 'encrypted under a key of its own, for this row and this column alone';
comment on column accounts.callback_fields is 'what the provider wants back whenever its tokens are refreshed';
comment on column accounts.tokens_version is 'counts every change of the tokens';
comment on column accounts.refreshing_until is 'somebody asks the provider for new tokens, until then at the latest';
