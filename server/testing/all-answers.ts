import { accountAnswers } from './account-answers.ts'
import { adminAnswers } from './admin-answers.ts'
import { auditAnswers } from './audit.ts'
import { deviceAnswers } from './device.ts'
import { linkAnswers } from './device-links.ts'
import { keyAnswers } from './key-answers.ts'
import type { OpenIdProvider } from './openid-provider.ts'
import { organizationAnswers } from './organization-answers.ts'
import type { TestService } from './service.ts'
import { socialAnswers } from './social-answers.ts'
import { supportAnswers } from './support-calls.ts'
import { tokenAnswers } from './token-answers.ts'
import type { Reply } from './visitor.ts'
import { webhookAnswers } from './webhook-calls.ts'

/** One answer of each call that is about people and what is theirs, with everything in it that it can have. */
export const allAnswers = (
  service: () => TestService,
  provider: () => OpenIdProvider,
): Record<string, () => Promise<Reply>> => ({
  ...accountAnswers(service),
  ...adminAnswers(service),
  ...auditAnswers(service),
  ...deviceAnswers(service),
  ...keyAnswers(service, provider),
  ...linkAnswers(service, provider),
  ...organizationAnswers(service),
  ...socialAnswers(service, provider),
  ...supportAnswers(service),
  ...tokenAnswers(service),
  ...webhookAnswers(service),
})
