import { expect, test } from 'vitest'
import { CliError } from '../output/cli-error.ts'
import { createUser, setUserRoles } from './admin/user-acts.ts'
import type { FormField } from './flow.ts'
import { createKey, createOwnKey } from './key/new-key.ts'
import { fieldIndexOf } from './refusals.ts'
import { createTrustRule } from './trust/create.ts'

const fieldsOf = ({ fields }: { readonly fields: object }): readonly Pick<FormField, 'name'>[] =>
  Object.keys(fields).map((name) => ({ name }))

test.each([
  ['ROLE_NOT_FOUND', 'roles', [createKey, createTrustRule, createUser, setUserRoles]],
  ['SCOPE_NOT_FOUND', 'scopes', [createKey, createOwnKey]],
  ['INVALID_IP_RANGE', 'ranges', [createKey, createOwnKey]],
  ['A_KEY_MAY_NOT_LIVE_FOR_SO_LONG', 'expires', [createKey, createOwnKey]],
  ['ISSUER_NOT_ACCEPTED', 'issuer', [createTrustRule]],
  ['THE_CLAIMS_HAVE_TO_NAME_ONE_THAT_IS_YOURS_ALONE_LIKE_THE_REPOSITORY', 'claims', [createTrustRule]],
])('%s is about the field %s, of every form that may be refused by it', (code, name, flows) => {
  for (const flow of flows) {
    const fields = fieldsOf(flow) as readonly FormField[]
    expect(fields[fieldIndexOf({ fields }, new CliError(12, '', { code })) ?? -1]?.name).toBe(name)
  }
})
