import * as webhooks from '../../shared/contract/webhook.ts'
import type { Deps } from '../deps.ts'
import { resumeWebhook, rotateWebhook, updateWebhook } from '../domain/webhook/change.ts'
import { testWebhook } from '../domain/webhook/test-webhook.ts'
import { createWebhook, deleteWebhook, listWebhooks, viewWebhook } from '../domain/webhook/webhooks.ts'
import type { Mount } from '../http/mount.ts'
import { answerList } from './answer-list.ts'

export function webhookRoutes(mount: Mount, deps: Deps): void {
  mount(webhooks, {
    createWebhook: ({ client, caller, input }) => createWebhook(deps, client, caller, input),
    listWebhooks: ({ caller, input, reply, freshness }) =>
      answerList(reply, listWebhooks(deps, caller, input, freshness)),
    viewWebhook: ({ caller, input }) => viewWebhook(deps, caller, input),
    updateWebhook: ({ client, caller, input }) => updateWebhook(deps, client, caller, input),
    rotateWebhook: ({ client, caller, input }) => rotateWebhook(deps, client, caller, input),
    resumeWebhook: ({ client, caller, input }) => resumeWebhook(deps, client, caller, input),
    testWebhook: ({ client, caller, input }) => testWebhook(deps, client, caller, input),
    deleteWebhook: ({ client, caller, input }) => deleteWebhook(deps, client, caller, input),
  })
}
