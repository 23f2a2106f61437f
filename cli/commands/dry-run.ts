import { Option } from 'commander'
import type { AccountRef, Accounts } from '../accounts/accounts.ts'
import { isPlanned, PlannedHere, type PlannedRequest } from '../client/planned-request.ts'
import type { Context } from '../context.ts'
import type { Fields } from '../flows/field.ts'
import type { Flow, FlowResult } from '../flows/flow.ts'
import { shownBody } from '../flows/shown-body.ts'
import type { AnswerFields } from '../output/json.ts'

/**
 * What would be sent: the call, its body without secrets, and the service. Without a call only this machine would
 * change.
 */
const plannedFields = { call: 'text?', body: 'any', server: 'text' } as const

/** The other answer of a command with --dry-run. `results`: the fields of the results of several. */
export const plannedAnswer = (results?: AnswerFields) => ({
  by: '--dry-run',
  ...(results
    ? ({ form: 'bulk', fields: { ...results, ...plannedFields } } as const)
    : ({ form: 'change', fields: plannedFields } as const)),
})

export const dryRunOption = (): Option =>
  new Option('--dry-run', 'look up and check everything, show what would be sent, and change nothing')

/**
 * The flow under --dry-run: it reads as always, needs no consent, and ends with the plan instead of its first write.
 */
export function withDryRun<S, F extends Fields, V, R extends object>(
  { flags }: Context,
  flow: Flow<S, F, V, R>,
): Flow<S, F, V, Partial<R>> {
  if (!flags.dryRun) return flow
  const { consent: _, ...rest } = flow
  return {
    ...rest,
    run: (...asked) => orPlan(() => flow.run(...asked)),
  }
}

/** The result, or the plan that --dry-run has instead of its first change. */
export async function orPlan<R extends object>(act: () => Promise<FlowResult<R>>): Promise<FlowResult<Partial<R>>> {
  try {
    return await act()
  } catch (error) {
    const planned = plannedIn(error)
    if (planned) return planOf<R>(planned)
    throw error
  }
}

/** The accounts of this machine under --dry-run: they can be looked at. */
export function accountsToPlan(accounts: Accounts): Accounts {
  const plan = (change: string) => (account: AccountRef) => Promise.reject(new PlannedHere(change, account))
  return {
    ...accounts,
    choose: plan('choose'),
    adopt: plan('keep the session of'),
    forget: plan('remove the session of'),
    remove: plan('remove all of'),
    rename: plan('rename'),
    impersonate: plan('impersonate as'),
    endImpersonation: plan('end the impersonation by'),
  }
}

/** Flows explain what a call throws, and keep that as the cause. */
function plannedIn(error: unknown): PlannedRequest | PlannedHere | undefined {
  if (isPlanned(error)) return error
  return error instanceof Error && error.cause !== undefined ? plannedIn(error.cause) : undefined
}

function planOf<R extends object>(plan: PlannedRequest | PlannedHere): FlowResult<Partial<R>> {
  const planned = resourceOf(plan)
  return {
    sentence:
      planned.call === null
        ? `Would ${plan.message} on this machine`
        : `Would send ${planned.call} ${JSON.stringify(planned.body)}`,
    status: 'planned',
    resource: Object.assign<Partial<R>, typeof planned>({}, planned),
    notes: ['Nothing was changed'],
  }
}

function resourceOf(plan: PlannedRequest | PlannedHere) {
  const { server } = plan
  if (plan instanceof PlannedHere) return { call: null, body: null, server }
  const { method, path, body, query } = plan.request
  return { call: `${method} ${path}`, body: shownBody(body ?? query), server }
}

/** The status of a result of several, with the plan under --dry-run. */
export const statusOf = ({ status, resource }: FlowResult): { readonly status: string } =>
  status === 'planned' ? { status, ...resource } : { status }
