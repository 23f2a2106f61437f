import { isDeepStrictEqual } from 'node:util'
import type { Command } from 'commander'
import { noun } from '../../argv/noun.ts'
import type { Context } from '../../context.ts'
import type { FlowResult } from '../../flows/flow.ts'
import type { FlowContext } from '../../flows/flow-context.ts'
import { keyList, keyView } from '../../flows/key/keys.ts'
import { rotateKey } from '../../flows/key/new-key.ts'
import { adoptKey, revokeKey } from '../../flows/key/revoke.ts'
import { parseSeconds } from '../../flows/moment.ts'
import { claimsOfWords, createTrustRule } from '../../flows/trust/create.ts'
import {
  adoptTrustRule,
  deleteTrustRule,
  type ListedTrustRule,
  toListedTrustRule,
  trustList,
  trustsOf,
} from '../../flows/trust/trusts.ts'
import { flowCommand } from '../flow-command.ts'
import { alreadyExistsError, createUnlessExists, existingItems, ifExistsOption } from '../if-exists.ts'
import { listCommand, viewCommand } from '../read-command.ts'
import { keyCreateCommand } from './create.ts'

export const keyCommand = (context: Context): Command =>
  noun('key', { summary: 'Keys for machines; key trust: CI jobs that need none', plural: 'keys' }, [
    listCommand(context, keyList),
    keyCreateCommand(context),
    viewCommand(context, keyView),
    flowCommand(context, rotateKey),
    flowCommand(context, adoptKey),
    flowCommand(context, revokeKey),
    noun('trust', { summary: 'CI jobs that sign in without a secret', plural: 'trusts' }, [
      listCommand(context, trustList),
      createUnlessExists(context, createTrustRule, { option: ifExists, find: findNamed }),
      flowCommand(context, adoptTrustRule),
      flowCommand(context, deleteTrustRule),
    ]),
  ])

type Values = Parameters<typeof createTrustRule.run>[2]

const ifExists = ifExistsOption('if a rule of that name exists: fail, or skip if it is the same')

/**
 * The service accepts a name twice, but `sign-in --oidc --trust` could then use neither rule. Never guess who can sign
 * in by a rule: a rule of that name with different content is an error.
 */
async function findNamed(
  flowContext: FlowContext,
  values: Values,
  ifExists: unknown,
): Promise<FlowResult<ListedTrustRule> | undefined> {
  const { name } = values
  const found = (await existingItems(trustsOf(flowContext), ifExists))
    .filter((rule) => rule.name === name)
    .map(toListedTrustRule)
  const same = found.find((rule) => saysThat(rule, values))
  if (found.length === 0) return undefined
  if (!same)
    throw alreadyExistsError(
      `There is a trust rule ${name} already, with different content`,
      'See it: postern key trust list',
    )
  if (ifExists === 'fail') throw alreadyExistsError(`There is a trust rule ${name} already`)
  return { sentence: `The trust rule ${name} exists already`, status: 'unchanged', resource: same }
}

/** Options that were not given are not compared. */
const saysThat = ({ issuer, audience, claims, roles, expiresIn }: ListedTrustRule, values: Values): boolean =>
  issuer === values.issuer &&
  audience === (values.audience ?? audience) &&
  expiresIn === (values.expires === undefined ? expiresIn : parseSeconds(values.expires)) &&
  isDeepStrictEqual({ ...claims }, { ...claimsOfWords(values.claims) }) &&
  isDeepStrictEqual(roles.toSorted(), [...values.roles].toSorted())
