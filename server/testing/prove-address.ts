import type { Sql } from '../db/connect.ts'

/** As if nobody had opened a mailed link yet. */
export async function disproveAddress(sql: Sql, email: string): Promise<void> {
  await sql`update users set email_verified = false where email = ${email}`
  await sql`
    update accounts set mailbox_proof = null, mailbox_proven_at = null, proven_email = null
    where user_id = (select id from users where email = ${email})
  `
}

/** As if the link that was mailed to an address had been opened in a session of each way in of its user. */
export async function proveAddress(sql: Sql, email: string): Promise<void> {
  await sql`update users set email_verified = true where email = ${email}`
  await sql`
    update accounts set mailbox_proof = 'link', mailbox_proven_at = now(), proven_email = ${email}
    where user_id = (select id from users where email = ${email})
  `
}
