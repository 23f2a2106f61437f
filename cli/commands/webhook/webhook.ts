import type { Command } from 'commander'
import { describeCommand } from '../../argv/command-metadata.ts'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import { deleteWebhook, editWebhook, resumeWebhook } from '../../flows/webhook/acts.ts'
import { createWebhook, rotateWebhook } from '../../flows/webhook/new-webhook.ts'
import { testWebhook } from '../../flows/webhook/send-sample.ts'
import { webhookList, webhookView } from '../../flows/webhook/webhooks.ts'
import { aboutFlow, flowCommand } from '../flow-command.ts'
import { listCommand, viewCommand } from '../read-command.ts'

export const webhookCommand = (context: Context): Command =>
  noun('webhook', { summary: 'Addresses to which audit events are sent', plural: 'webhooks' }, [
    listCommand(context, webhookList),
    flowCommand(context, createWebhook),
    viewCommand(context, webhookView),
    flowCommand(context, editWebhook),
    flowCommand(context, rotateWebhook),
    flowCommand(context, resumeWebhook),
    describeCommand(flowCommand(context, testWebhook), { ...aboutFlow(testWebhook), ends: ['problemFound'] }),
    flowCommand(context, deleteWebhook),
  ])
