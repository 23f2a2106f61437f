import type { CommandNeeds } from '../argv/command-metadata.ts'
import { type Fields, flagOf, isAccount } from '../flows/field.ts'
import type { Consent, FlowFacts, SelectingFlag } from '../flows/flow.ts'
import type { LookFacts } from '../flows/listing.ts'
import { isNeeded } from './flow-questions.ts'

/** What the command of a flow needs, and how it can end. */
export function needsOf(
  flow: Pick<FlowFacts, 'call' | 'isForAnyone' | 'globalFlags' | 'fields'> & {
    readonly subject: { readonly argument?: string }
    readonly bulk?: string
    readonly consent?: Pick<Consent<never>, 'typed' | 'forKeysOnly'>
  },
): CommandNeeds {
  const { call, isForAnyone, fields, subject, consent } = flow
  const hasConsent = consent !== undefined && !consent.forKeysOnly
  return {
    calls: call === undefined ? [] : [call],
    needsSession: !isForAnyone,
    globalFlags: globalFlagsOf(flow),
    asks: askedIn(fields),
    ...(hasConsent && { consent: consent.typed?.always && !consent.typed.forSome ? '--confirm' : '--yes' }),
    ends: [
      'localState',
      ...(subject.argument === undefined ? [] : (['notFound', 'conflict'] as const)),
      ...(flow.bulk ? (['partial'] as const) : []),
    ],
  }
}

/** A field for an address takes it from the chosen account if it is not given. */
const globalFlagsOf = ({
  globalFlags = [],
  fields,
}: Pick<FlowFacts, 'globalFlags' | 'fields'>): readonly SelectingFlag[] =>
  Object.values(fields).some(isAccount) ? [...globalFlags, '--account'] : globalFlags

/** What a read command needs. Its argument names something that may not be there. */
export function needsOfReading({
  call,
  fields,
  globalFlags = [],
}: Pick<LookFacts, 'call' | 'fields' | 'globalFlags'>): CommandNeeds {
  const isNaming = Object.values(fields).some(({ argument }) => argument !== undefined)
  const ends = isNaming ? (['notFound', 'conflict'] as const) : []
  return { calls: [call], needsSession: true, globalFlags, asks: askedIn(fields), ends }
}

const askedIn = (fields: Fields): readonly string[] =>
  Object.values(fields)
    .filter(isNeeded)
    .flatMap((field) => (field.flag ? [flagOf(field)] : (/^\[(.+)\]$/.exec(field.argument ?? '')?.[1] ?? [])))

/** The needs of several commands in one. Nothing is asked for that only one of them takes. */
export const allNeeds = (first: CommandNeeds, ...others: readonly CommandNeeds[]): CommandNeeds => ({
  ...first,
  calls: [first, ...others].flatMap(({ calls = [] }) => calls),
  globalFlags: [first, ...others].flatMap(({ globalFlags = [] }) => globalFlags),
  ends: [first, ...others].flatMap(({ ends = [] }) => ends),
})
