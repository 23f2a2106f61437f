import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CallGroup } from '../../../shared/contract/call.ts'
import { contract } from '../../../shared/contract/index.ts'
import { accountAnswers } from '../../testing/account-answers.ts'
import { deviceAnswers } from '../../testing/device.ts'
import { linkAnswers } from '../../testing/device-links.ts'
import { type OpenIdProvider, startOpenIdProvider } from '../../testing/openid-provider.ts'
import { organizationAnswers } from '../../testing/organization-answers.ts'
import { keysOf } from '../../testing/rows.ts'
import { createTestService, type TestService } from '../../testing/service.ts'
import { socialAnswers } from '../../testing/social-answers.ts'
import type { Reply } from '../../testing/visitor.ts'

let provider: OpenIdProvider
let service: TestService
beforeAll(async () => {
  provider = await startOpenIdProvider()
  service = await createTestService(provider.settings('GOOGLE'))
})
afterAll(async () => {
  await service.stop()
  await provider.stop()
})

/** One answer of each call, with everything in it that it can have. */
const answers: Record<string, () => Promise<Reply>> = {
  ...accountAnswers(() => service),
  ...deviceAnswers(() => service),
  ...linkAnswers(
    () => service,
    () => provider,
  ),
  ...organizationAnswers(() => service),
  ...socialAnswers(
    () => service,
    () => provider,
  ),
  ok: () => service.visitor().get('/ok'),
  ready: () => service.visitor().get('/ready'),
}

const names = Object.values(contract as Record<string, CallGroup>).flatMap((group) =>
  Object.entries(group).flatMap(([name, call]) =>
    call.answer === 'html' || call.output.type === 'never' ? [] : [name],
  ),
)

it.each(names)('%s answers these keys and no others', async (name) => {
  const { status, body } = await answers[name]!()
  expect([status, keysOf(body)]).toMatchSnapshot()
  expect(JSON.stringify(keysOf(body))).not.toMatch(/password|hash|secret|value/i)
})
