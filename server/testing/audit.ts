import type { FailureName } from '../../shared/errors.ts'
import { adminOf } from './admins.ts'
import { noSuchMark } from './calls.ts'
import { found } from './organizations.ts'
import type { TestService } from './service.ts'
import type { Reply } from './visitor.ts'

/** One answer of each call about the trail, with everything in it that it can have. */
export const auditAnswers = (service: () => TestService): Record<string, () => Promise<Reply>> => ({
  listAuditEvents: async () => {
    const admin = await adminOf(service())
    const { owner } = await found(service())
    return admin.get(`/admin/list-audit-events?actorId=${owner.userId}&limit=1`)
  },
  listActivity: async () => (await found(service())).owner.get('/list-activity?limit=1'),
  listOrganizationActivity: async () => (await found(service())).owner.get('/organization/list-activity?limit=1'),
})

type Ways = Record<string, Partial<Record<FailureName, () => Promise<Reply>>>>

const foreign = `after=${noSuchMark}`

/** How each listed failure of the trail's calls is reached. */
export const auditWays = (service: () => TestService): Ways => ({
  listAuditEvents: {
    AUDIT_LIST_FORBIDDEN: async () => (await service().person()).get('/admin/list-audit-events'),
    CURSOR_OF_ANOTHER_DATABASE: async () => (await adminOf(service())).get(`/admin/list-audit-events?${foreign}`),
  },
  listActivity: {
    CURSOR_OF_ANOTHER_DATABASE: async () => (await service().person()).get(`/list-activity?${foreign}`),
  },
  listOrganizationActivity: {
    CURSOR_OF_ANOTHER_DATABASE: async () =>
      (await found(service())).owner.get(`/organization/list-activity?${foreign}`),
    NO_ACTIVE_ORGANIZATION: async () => (await service().person()).get('/organization/list-activity'),
    NOT_A_MEMBER_FORBIDDEN: async () => {
      const { id } = await found(service())
      return (await service().person()).get(`/organization/list-activity?organizationId=${id}`)
    },
    ACTIVITY_LIST_FORBIDDEN: async () => {
      const acme = await found(service())
      return (await acme.join('member')).get('/organization/list-activity')
    },
  },
})
