import { providerDisplayName, providerIds } from '../../../shared/providers.ts'
import { commandWith } from '../command-line.ts'
import { isBlockedWhileImpersonating } from '../flow.ts'
import type { FlowConnection } from '../flow-context.ts'
import { formOf } from '../form.ts'
import { act, type Resource } from '../resource.ts'
import {
  type LinkedAccount,
  labelOf,
  linkedAccountFields,
  linkList,
  nameOf,
  refreshLink,
  removeLink,
} from './accounts.ts'
import { addLink } from './add.ts'

/** Other OpenID Connect providers have their own names. */
const known = [
  { id: '', label: 'Another, by its name' },
  ...providerIds.map((id) => ({ id, label: providerDisplayName(id) })),
]

export const readLinks = ({ api }: Pick<FlowConnection, 'api'>): Promise<readonly LinkedAccount[]> =>
  api.social.listAccounts()

const chosenOnes = (chosen: readonly LinkedAccount[]) => chosen

/** The ways in which a user signs in. */
export const links: Resource<LinkedAccount, readonly LinkedAccount[]> = {
  noun: 'linked account',
  fields: linkedAccountFields,
  list: ['provider', 'accountId', 'createdAt', 'scopes'],
  detail: ['provider', 'accountId', 'scopes', 'createdAt', 'updatedAt', 'id'],
  id: ({ id }) => id,
  copies: { label: 'the id at the provider', text: ({ accountId }) => accountId },
  label: nameOf,
  line: labelOf,
  of: (all) => all,
  empty: 'No linked accounts',
  acts: [
    {
      key: ['c', 'create', 'link one'],
      about: 'place',
      offers: () => [
        {
          kind: 'choice',
          label: addLink.title,
          title: addLink.title,
          isSearchable: true,
          isForOneself: isBlockedWhileImpersonating(addLink),
          options: () =>
            known.map(({ id, label }) => ({
              id,
              label,
              offer: { kind: 'form', form: () => formOf(addLink, { subjects: [undefined], given: { provider: id } }) },
            })),
        },
      ],
    },
    act(refreshLink, { about: 'one', subjects: chosenOnes }),
    act(removeLink, { key: ['D', 'remove', 'remove'], about: 'one', removes: true, subjects: chosenOnes }),
  ],
  command: () => commandWith(linkList),
}
