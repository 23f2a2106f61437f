import { accountAnswers } from './account-answers.ts'
import { deviceAnswers } from './device.ts'
import { linkAnswers } from './device-links.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import { organizationAnswers } from './organization-answers.ts'
import type { TestService } from './service.ts'
import { socialAnswers } from './social-answers.ts'
import type { Reply } from './visitor.ts'

/** One answer of each call that is about people and what is theirs, with everything in it that it can have. */
export const allAnswers = (
  service: () => TestService,
  provider: () => OpenIdProvider,
): Record<string, () => Promise<Reply>> => ({
  ...accountAnswers(service),
  ...deviceAnswers(service),
  ...linkAnswers(service, provider),
  ...organizationAnswers(service),
  ...socialAnswers(service, provider),
})
