import { Option } from 'commander'
import { PlannedRequest } from '../client/planned-request.ts'
import type { Context } from '../context.ts'
import type { Fields } from '../flows/field.ts'
import type { Flow, FlowFacts, FlowResult } from '../flows/flow.ts'
import { shownBody } from '../flows/request-command.ts'
import { bulkFields } from './bulk.ts'

/** What would be sent: the call, its body without secrets, and the service. */
const plannedFields = { call: 'text', body: 'any', server: 'text' } as const

/** The other answer of a command with --dry-run. */
export const plannedAnswer = (form: 'change' | 'bulk') => ({
  by: '--dry-run',
  form,
  fields: form === 'bulk' ? { ...bulkFields, ...plannedFields } : plannedFields,
})

/** Whether the flow has --dry-run. Signing in and out changes this machine as well, which has no dry run. */
export const hasDryRun = ({ writes, needsSession }: Pick<FlowFacts, 'writes' | 'needsSession'>): boolean =>
  writes && needsSession

export const dryRunOption = (): Option =>
  new Option('--dry-run', 'look up and check everything, show what would be sent, and change nothing')

/** The flow under --dry-run: it reads as always, needs no consent, and ends with the plan instead of its first write. */
export function withDryRun<S, F extends Fields, V, R extends object>(
  { flags }: Context,
  flow: Flow<S, F, V, R>,
): Flow<S, F, V, Partial<R>> {
  if (!flags.dryRun) return flow
  const { consent: _, ...rest } = flow
  return {
    ...rest,
    run: async (...asked) => {
      try {
        return await flow.run(...asked)
      } catch (error) {
        const planned = plannedIn(error)
        if (planned) return planOf<R>(planned)
        throw error
      }
    },
  }
}

/** Flows explain what a call throws, and keep that as the cause. */
function plannedIn(error: unknown): PlannedRequest | undefined {
  if (error instanceof PlannedRequest) return error
  return error instanceof Error && error.cause !== undefined ? plannedIn(error.cause) : undefined
}

function planOf<R extends object>({ request, server }: PlannedRequest): FlowResult<Partial<R>> {
  const { method, path, body } = request
  const planned = { call: `${method} ${path}`, body: shownBody(body), server }
  return {
    sentence: `Would send ${planned.call} ${JSON.stringify(planned.body)}`,
    status: 'planned',
    resource: Object.assign<Partial<R>, typeof planned>({}, planned),
    notes: ['Nothing was changed'],
  }
}

/** The status of a result of several, with the plan under --dry-run. */
export const statusOf = ({ status, resource }: FlowResult): { readonly status: string } =>
  status === 'planned' ? { status, ...resource } : { status }
