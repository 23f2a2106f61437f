import * as calls from '../../shared/contract/support.ts'
import type { Deps } from '../deps.ts'
import { listMails, releaseMails, resendMail } from '../domain/support/mails.ts'
import { exportUser } from '../domain/support/person-data.ts'
import { unlockUser, viewUser } from '../domain/support/users.ts'
import type { Mount } from '../http/mount.ts'
import { answerList } from './answer-list.ts'

export const supportRoutes = (mount: Mount, deps: Deps) =>
  mount(calls, {
    exportUser: ({ client, caller, input }) => exportUser(deps, client, caller, input),
    viewUser: ({ caller, input }) => viewUser(deps, caller, input),
    unlockUser: ({ client, caller, input }) => unlockUser(deps, client, caller, input),
    listMails: ({ caller, input, reply }) => answerList(reply, listMails(deps, caller, input)),
    resendMail: ({ client, caller, input }) => resendMail(deps, client, caller, input),
    releaseMails: ({ client, caller }) => releaseMails(deps, client, caller),
  })
