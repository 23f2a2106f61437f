import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { linkTo, userOf } from '../testing/mailed.ts'
import { testPassword } from '../testing/service.ts'
import { useTestService } from '../testing/use-service.ts'

const service = useTestService()

/** Somebody whose address is not verified, and the token of a link to a new password. */
async function asking() {
  const { email } = await service.person()
  await service.visitor().post('/forget-password', { email })
  return { email, token: (await linkTo(service, email, 'reset-password')).token }
}

it('a link that an earlier import brought proves no mailbox, and one of ours still does', async () => {
  const { sql } = service.deps
  const [moved, own] = [await asking(), await asking()]
  const { id } = await userOf(service, moved.email)
  await sql`delete from outbox where user_id = ${id}`
  await sql`update verifications set id = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4', value = user_id where user_id = ${id}`
  await sql.unsafe(readFileSync(new URL('../../migrations/0067_links_of_elsewhere.sql', import.meta.url), 'utf8'))
  for (const [{ email, token }, emailVerified] of [
    [moved, false],
    [own, true],
  ] as const) {
    const answer = await service.visitor().post('/reset-password', { token, newPassword: `another ${testPassword}` })
    expect([answer.status, await userOf(service, email)]).toMatchObject([200, { emailVerified }])
  }
})
