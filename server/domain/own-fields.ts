import { Failure } from '../../shared/failure.ts'
import { expectations, inputProblem, problemsIn } from '../../shared/input-problem.ts'
import type { OwnValues } from '../../shared/own-fields.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { Caller, Client } from '../request/client.ts'
import { isAllowedOnPlatform } from './admin/permission.ts'

/** The names of what a change gives, for the audit trail. It never has the values, which may be personal. */
export const changedNames = ({ fields, ...named }: { readonly fields: OwnValues }): readonly string[] =>
  Object.entries({ ...named, ...fields })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
    .toSorted()

interface GivenFields {
  readonly fields: OwnValues
  /** What a new organization has anyway, which everybody may give. */
  readonly standard?: OwnValues
  /** Leads to the fields in the input. */
  readonly path?: readonly string[]
}

/** Refuses fields of an organization that only administrators of the platform and trusted servers set. */
export function requireSettable(
  { config }: Deps,
  { isServer }: Client,
  caller: Caller | null,
  { fields, standard = {}, path = [] }: GivenFields,
): void {
  if (isServer || (caller && isAllowedOnPlatform(config, caller, 'user:update'))) return
  const known = config.ownFields.organization.fields
  const refused = Object.keys(fields).filter(
    (name) => known[name]?.input === 'admin' && fields[name] !== standard[name],
  )
  const expected = 'no value: only administrators set it'
  if (refused.length > 0)
    throw new Failure('INVALID_BODY', { details: refused.map((name) => inputProblem([...path, name], expected)) })
}

/** What a function of the config file returns has to satisfy the rules for administrators. */
export function checkOrganizationFields({ ownFields }: Config, fields: unknown): OwnValues {
  const use = { of: 'organization', write: 'create', by: 'admin', isStrict: true } as const
  const { data, error } = ownFields.organization.inputOf(use).safeParse(fields, expectations)
  if (error) throw new Failure('INVALID_BODY', { cause: error, details: problemsIn(error.issues, fields) })
  return data
}
