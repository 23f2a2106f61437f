import { expect, it } from 'vitest'
import { listAuditEvents } from '../../shared/contract/audit.ts'
import { contract } from '../../shared/contract/index.ts'
import { catalogue, type FailureName } from '../../shared/errors.ts'
import { exitCodes } from '../../shared/exit-codes.ts'
import { wireOf } from '../../shared/failure.ts'
import { hintOf } from './hints.ts'

const hintFor = (name: FailureName, exitCode: Parameters<typeof hintOf>[0]) => {
  const { body } = wireOf(name)
  return hintOf(exitCode, body && 'code' in body ? body.code : undefined)
}

it('sends people without a platform role to an administrator, not to the owner of an organization', () => {
  const calls = [contract.admin, contract.support, contract.webhook].flatMap((group) => Object.values(group))
  const refusals = [...calls, listAuditEvents].flatMap(({ failures }): readonly FailureName[] => failures)
  const forbidden = new Set(refusals.filter((name) => /(?<!^NOT_A_MEMBER)_FORBIDDEN$/.test(name)))
  expect(forbidden.size).toBeGreaterThan(15)
  const elsewhere = [...forbidden].filter((name) => !hintFor(name, exitCodes.forbidden)?.includes('platform role'))
  expect(elsewhere).toEqual([])
})

it('says what to do about an invitation whose inviter can no longer invite', () => {
  const refusals = (Object.keys(catalogue) as FailureName[]).filter((name) => name.startsWith('INVITER_'))
  expect(refusals.map((name) => hintFor(name, exitCodes.conflict))).toEqual(
    refusals.map(() => 'Ask for a new invitation'),
  )
  expect(refusals.length).toBeGreaterThan(1)
})

it('says what to do about each limit', () => {
  const limits = (Object.keys(catalogue) as FailureName[]).filter((name) => /_LIMIT_REACHED$|_FULL$/.test(name))
  expect(limits.length).toBeGreaterThan(5)
  expect(limits.filter((name) => hintFor(name, exitCodes.conflict) === undefined)).toEqual([])
})

it.each<[FailureName, Parameters<typeof hintOf>[0], string]>([
  ['ONLY_OWNER', exitCodes.conflict, 'postern org delete'],
  ['EMAIL_UNCHANGED', exitCodes.rejected, 'another address'],
  ['NO_ORGANIZATION_FOR_ROLE', exitCodes.notFound, 'postern org use'],
  ['TRUST_TOO_WIDE', exitCodes.rejected, '--claim'],
])('says what to do about %s, also where that is the only way', (name, exitCode, way) => {
  expect(hintFor(name, exitCode)).toContain(way)
})
