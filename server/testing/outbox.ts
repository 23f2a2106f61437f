import { randomUUID } from 'node:crypto'
import type { MailPayload } from '../mail/outbox.ts'
import type { TestService } from './service.ts'

/** Leaves a link to set a new password in the outbox, as a use case would: for a user, with the row that it proves. */
export async function leaveLink({ deps: { sql, outbox } }: Pick<TestService, 'deps'>, user = 'Ann'): Promise<string> {
  const email = `ann-${randomUUID()}@example.com`
  const content: MailPayload = { kind: 'reset-password', to: email, token: `token-${randomUUID()}` }
  const { id, kind, payload } = outbox.seal(content, null)
  await sql`
    with person as (
      insert into users (id, email, name) values (${randomUUID()}, ${email}, ${user}) returning id
    ), proof as (
      insert into verifications (id, user_id, identifier, value, expires_at)
      select ${id}, id, ${`reset-password:${id}`}, id, now() + interval '1 minute' from person
      returning id, user_id
    )
    insert into outbox (id, kind, payload, user_id, verification_id, link_seconds)
    select ${id}, ${kind}, ${payload}, user_id, id, 60 from proof
  `
  return id
}
