import { useCallback } from 'react'
import type { MachineKey } from '../../../../shared/machine-key.ts'
import { commandWith } from '../../../flows/command-line.ts'
import { formOf } from '../../../flows/form.ts'
import { adoptKey } from '../../../flows/key/adopt.ts'
import { revokeKey } from '../../../flows/key/revoke.ts'
import { rotateKey } from '../../../flows/key/rotate.ts'
import { keyView } from '../../../flows/key/view.ts'
import { loadOrganization, type OrganizationView } from '../../../flows/org/view.ts'
import { keyDetail } from '../../details/key.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useAppState } from '../../hooks/use-app-state.ts'
import { useForm } from '../../hooks/use-form.ts'
import { useLoad } from '../../hooks/use-load.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { withKey } from '../../keys/key-text.ts'
import type { TuiConnection } from '../../ports.ts'
import { LoadNote } from '../load-note.tsx'
import { MenuView, useMenu } from '../menu-view.tsx'
import { Page, type ScreenProps } from '../page.tsx'

interface KeyScreenProps extends ScreenProps {
  readonly subject: string
  /** None: it is a person's own. */
  readonly organizationId: string | undefined
}

interface Read {
  readonly found: MachineKey
  readonly view: OrganizationView | undefined
}

/** One key, and what can be done with it. */
export function KeyScreen({ isActive, subject, organizationId }: KeyScreenProps) {
  const userId = useAppState().me?.user.id
  const load = useCallback(
    async (connection: TuiConnection): Promise<Read> => {
      const [found, view] = await Promise.all([
        connection.api.key.viewKey({ keyId: subject }),
        organizationId === undefined ? undefined : loadOrganization(connection, organizationId, userId),
      ])
      return { found, view }
    },
    [subject, organizationId, userId],
  )
  const { data, isLoading, shownError } = useLoad(load)
  if (data) return <Key {...data} isActive={isActive} />
  return (
    <Page screen="key" isActive={isActive} intents={{}}>
      <LoadNote isLoading={isLoading} shownError={shownError} empty="This key is gone" />
    </Page>
  )
}

function Key({ isActive, found: key, view }: ScreenProps & Read) {
  const shell = useShell()
  const subjects = [{ key, org: view?.organization.slug }]
  const rotating = useForm(() => formOf(rotateKey, { subjects, view }))
  const adopting = useAction(adoptKey, { view, chosen: subjects })
  const revoking = useAction(revokeKey, { view, chosen: subjects, onDone: shell.back })
  const choices = [
    withKey('key', 'edit', rotating.choice),
    ...(view ? [adopting.choice(subjects, [key.name])] : []),
    withKey('key', 'remove', revoking.choice(subjects, [key.name])),
  ]
  const menu = useMenu(
    choices.map((choice) => ({ hint: '', ...choice })),
    keyDetail(key).facts,
  )
  return (
    <Page
      screen="key"
      isActive={isActive}
      disabledReasons={{ edit: rotating.disabledReason, remove: revoking.disabledReason }}
      actions={{ title: key.name, choices }}
      intents={{
        ...menu.list.intents,
        open: menu.open,
        edit: rotating.open,
        remove: () => revoking.ask(subjects, [key.name]),
        'copy-id': () => shell.copy(key.id, 'the key id'),
        'copy-command': () => shell.copy(commandWith(keyView, [], { given: { key: key.id } }), 'the command'),
      }}
    >
      <MenuView menu={menu} note={null} />
    </Page>
  )
}
