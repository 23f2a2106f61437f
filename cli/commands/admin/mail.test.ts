import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimMail } from '../../../server/db/outbox.ts'
import { mailLease } from '../../../server/mail/mail-transport.ts'
import { leaveLink } from '../../../server/testing/outbox.ts'
import { adminOf } from '../../testing/admin.ts'
import { type OwnService, startOwnService, type TestPerson } from '../../testing/own-service.ts'

let service: OwnService
let ada: TestPerson
beforeAll(async () => {
  service = await startOwnService({})
  ada = await adminOf(service)
})
afterAll(() => service.stop())

it('resend says whether a mail is tried now, or may be on its way already', async () => {
  const { sql } = service.service.deps
  const id = await leaveLink(service.service)
  await sql`update outbox set parked_at = now(), attempts = 9`
  expect((await ada(`admin mail resend ${id}`)).stdout).toMatch(/is tried again now/)
  expect((await claimMail(sql, mailLease))?.id).toBe(id)
  expect((await ada(`admin mail resend ${id}`)).stdout).toMatch(/is being sent, or is tried again in [23] minutes/)
})
