import { commandWith } from '../command-line.ts'
import { type OfferedProvider, offeredProviders } from '../device/offered.ts'
import { isBlockedWhileImpersonating } from '../flow.ts'
import type { FlowConnection } from '../flow-context.ts'
import { formOf } from '../form.ts'
import { act, actWithView, type NamedOffer, type Resource } from '../resource.ts'
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

type Offered = readonly OfferedProvider[]

/** The linked accounts of the signed-in user, and what else can be linked at this service. */
interface LinksView {
  readonly accounts: readonly LinkedAccount[]
  /** Asks the service only when a choice is opened. */
  readonly offered: () => Offered | Promise<Offered>
}

type Calls = Pick<FlowConnection, 'api'>

/** For menus that need no list. */
export const noLinks = (connection: Calls | undefined): LinksView => ({
  accounts: [],
  offered: () => (connection ? offeredProviders(connection) : []),
})

export const readLinks = async (connection: Calls): Promise<LinksView> => ({
  ...noLinks(connection),
  accounts: await connection.api.social.listAccounts(),
})

/** A provider that the service does not list can still be named. */
const another = { id: '', name: 'Another, by its name' }

const linkingAt = ({ id, name }: OfferedProvider): NamedOffer => ({
  id,
  label: name,
  offer: { kind: 'form', form: () => formOf(addLink, { subjects: [undefined], given: { provider: id } }) },
})

const linkings = (offered: Offered): readonly NamedOffer[] => [...offered, another].map(linkingAt)

const chosenOnes = (chosen: readonly LinkedAccount[]) => chosen

/** The ways in which a user signs in. */
export const links: Resource<LinkedAccount, LinksView> = {
  noun: 'linked account',
  fields: linkedAccountFields,
  list: ['provider', 'accountId', 'createdAt', 'scopes'],
  detail: ['provider', 'accountId', 'scopes', 'createdAt', 'updatedAt', 'id'],
  id: ({ id }) => id,
  copies: { label: 'the id at the provider', text: ({ accountId }) => accountId },
  label: nameOf,
  line: labelOf,
  of: ({ accounts }) => accounts,
  empty: 'No linked accounts',
  acts: [
    {
      key: ['c', 'create', 'link one'],
      about: 'place',
      offers: (_, { offered }) => [
        {
          kind: 'choice',
          label: addLink.title,
          title: addLink.title,
          isSearchable: true,
          isForOneself: isBlockedWhileImpersonating(addLink),
          options: () => {
            const found = offered()
            return found instanceof Promise ? found.then(linkings) : linkings(found)
          },
        },
      ],
    },
    act(refreshLink, { about: 'one', subjects: chosenOnes }),
    actWithView(removeLink, ({ accounts }) => accounts, {
      key: ['D', 'remove', 'remove'],
      about: 'one',
      removes: true,
      subjects: chosenOnes,
    }),
  ],
  command: () => commandWith(linkList),
}
