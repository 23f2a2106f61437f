import type { Context } from '../context.ts'
import type { Fields, ValuesOf } from '../flows/field.ts'
import type { Consent, Flow } from '../flows/flow.ts'
import { flowContextOf, keepOrganization } from './flow-context.ts'
import { type ConsentRequest, checkFlowConsent } from './flow-questions.ts'
import { readValues } from './flow-values.ts'
import { type Argv, readyLine } from './ready-line.ts'

interface PreparedFlow<S, F extends Fields> {
  readonly asked: ConsentRequest<S>
  readonly values: ValuesOf<F>
}

/** Checks everything that can be wrong before the first request. */
export async function prepare<S, F extends Fields, V, R extends object>(
  context: Context,
  flow: Flow<S, F, V, R>,
  argv: Argv,
): Promise<PreparedFlow<S, F>> {
  const consent = consentOf(flow)
  const flowContext = consent ? keepOrganization(flowContextOf(context)) : flowContextOf(context)
  if (!flow.isForAnyone) await flowContext.signedIn()
  const values = await readValues(context, flow, argv, flowContext)
  const ready = (flags: readonly string[], words = argv.words) => readyLine(flow, { ...argv, words }, { flags })
  const asked = { flowContext, subjects: [], words: argv.words, ready }
  if (consent) await checkFlowConsent(context, consent, asked)
  return { asked, values }
}

export const consentOf = <S>({ consent }: { readonly consent?: Consent<S> }): Consent<S> | undefined =>
  consent?.forKeysOnly ? undefined : consent
