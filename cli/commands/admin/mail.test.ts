import { beforeAll, expect, it } from 'vitest'
import { claimMail } from '../../../server/db/outbox.ts'
import { mailLease } from '../../../server/mail/mail-transport.ts'
import { leaveLink } from '../../../server/testing/outbox.ts'
import { resendMail } from '../../flows/mail/mails.ts'
import { adminOf } from '../../testing/admin.ts'
import type { TestPerson } from '../../testing/own-service.ts'
import { useOwnService } from '../../testing/use-service.ts'

const service = useOwnService()
let ada: TestPerson
beforeAll(async () => {
  ada = await adminOf(service)
})

it('resend says whether a mail is tried now, or may be on its way already', async () => {
  const { sql } = service.service.deps
  const id = await leaveLink(service.service)
  await sql`update outbox set parked_at = now(), attempts = 9`
  expect((await ada(`admin mail resend ${id}`)).stdout).toMatch(/is tried again now/)
  expect((await claimMail(sql, mailLease))?.id).toBe(id)
  expect((await ada(`admin mail resend ${id}`)).stdout).toMatch(/is being sent, or is tried again in [23] minutes/)
  await sql`update outbox set next_attempt_at = now() - interval '3 minutes'`
  expect((await ada(`admin mail resend ${id}`)).stdout).toMatch(/is being sent, or is tried again now/)
  const several = resendMail.doneWith?.([{ id }, { id }], {})
  expect(several).toBe('2 mails are tried again now, or soon if they may be on their way already')
})
