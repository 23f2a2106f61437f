import { useCallback, useMemo } from 'react'
import { pagedUsers } from '../../flows/admin/list.ts'
import { userDetails, userDetailsView, users, usersView } from '../../flows/admin/resource.ts'
import { readUserDetail } from '../../flows/admin/supported-user.ts'
import { type KeysView, keys, ownKeys, readKey, readOwnKeys } from '../../flows/key/resource.ts'
import { links, noLinks, readLinks } from '../../flows/link/resource.ts'
import { pagedMails } from '../../flows/mail/mails.ts'
import { mails, mailsView } from '../../flows/mail/resource.ts'
import { organizations } from '../../flows/org/resource.ts'
import { readUserSessions, sessions, userSessions } from '../../flows/session/resource.ts'
import { ownSessions, sessionsView } from '../../flows/session/sessions.ts'
import { readTrusts, trusts } from '../../flows/trust/resource.ts'
import { readWebhook, readWebhooks, webhooks } from '../../flows/webhook/resource.ts'
import { useLoad } from '../hooks/use-load.ts'
import { usePages } from '../hooks/use-pages.ts'
import { useAppState } from '../hooks/use-shell.ts'
import type { TuiConnection } from '../ports.ts'
import { activeOrganization } from '../state/app-state.ts'
import type { ScreenProps } from './page.tsx'
import { useMergedView } from './page.tsx'
import { ResourceDetail, ResourceList } from './resource-views.tsx'

interface SubjectProps extends ScreenProps {
  readonly subject: string
}
interface PlaceProps extends ScreenProps {
  readonly organizationId: string | undefined
}

/** Loading until the user is known too: some of the actions are about them. */
function useSessions() {
  const { me, shownError } = useAppState()
  const loaded = useMergedView(useLoad(ownSessions), me?.user, sessionsView)
  if (me !== undefined) return loaded
  return { data: undefined, isLoading: !shownError, shownError: loaded.shownError ?? shownError }
}

export const SessionsScreen = ({ isActive }: ScreenProps) => (
  <ResourceList resource={sessions} screen="sessions" loaded={useSessions()} isActive={isActive} />
)

export const SessionScreen = (props: SubjectProps) => (
  <ResourceDetail resource={sessions} screen="session" loaded={useSessions()} gone="This session is over" {...props} />
)

export function UserSessionsScreen({ isActive, subject }: SubjectProps) {
  const load = useCallback((connection: TuiConnection) => readUserSessions(connection, subject), [subject])
  return <ResourceList resource={userSessions} screen="user-sessions" loaded={useLoad(load)} isActive={isActive} />
}

export const LinksScreen = ({ isActive }: ScreenProps) => (
  <ResourceList
    resource={links}
    screen="links"
    loaded={useLoad(readLinks)}
    unread={noLinks(undefined)}
    isActive={isActive}
  />
)

export function OrganizationsScreen({ isActive }: ScreenProps) {
  const state = useAppState()
  const { organizations: mine, shownError } = state
  const active = activeOrganization(state)
  const data = useMemo(() => mine && { organizations: mine, active }, [mine, active])
  const loaded = { data, isLoading: mine === undefined && !shownError, shownError }
  return <ResourceList resource={organizations} screen="orgs" loaded={loaded} isActive={isActive} />
}

const noKeys: KeysView = { keys: [], within: undefined }
export const OwnKeysScreen = ({ isActive }: ScreenProps) => (
  <ResourceList
    resource={ownKeys}
    screen="own-keys"
    loaded={useLoad(readOwnKeys)}
    unread={noKeys}
    isActive={isActive}
  />
)

/** A key of an organization, or the user's own key without an organization. */
export function KeyScreen({ isActive, subject, organizationId }: SubjectProps & PlaceProps) {
  const userId = useAppState().me?.user.id
  const load = useCallback(
    (connection: TuiConnection) => readKey(connection, subject, { organizationId, userId }),
    [subject, organizationId, userId],
  )
  return (
    <ResourceDetail
      resource={organizationId === undefined ? ownKeys : keys}
      screen="key"
      loaded={useLoad(load)}
      subject={subject}
      gone="This key is gone"
      isActive={isActive}
    />
  )
}

export function TrustsScreen({ isActive, organizationId = '' }: PlaceProps) {
  const userId = useAppState().me?.user.id
  const load = useCallback(
    (connection: TuiConnection) => readTrusts(connection, organizationId, userId),
    [organizationId, userId],
  )
  return <ResourceList resource={trusts} screen="trusts" loaded={useLoad(load)} isActive={isActive} />
}

/** The webhooks of an organization or, without one, of the service. */
export function WebhooksScreen({ isActive, organizationId }: PlaceProps) {
  const userId = useAppState().me?.user.id
  const load = useCallback(
    (connection: TuiConnection) => readWebhooks(connection, { organizationId, userId }),
    [organizationId, userId],
  )
  return <ResourceList resource={webhooks} screen="webhooks" loaded={useLoad(load)} isActive={isActive} />
}

export function WebhookScreen({ organizationId, ...props }: SubjectProps & PlaceProps) {
  const userId = useAppState().me?.user.id
  const { subject } = props
  const load = useCallback(
    (connection: TuiConnection) => readWebhook(connection, subject, { organizationId, userId }),
    [subject, organizationId, userId],
  )
  const loaded = useLoad(load)
  return <ResourceDetail resource={webhooks} screen="webhook" loaded={loaded} gone="This webhook is gone" {...props} />
}

const noUsers = usersView({ items: [], total: 0 }, undefined)

/** The users of the service: the newest, or the matches of a search at the service. */
export function UsersScreen({ isActive }: ScreenProps) {
  const { loaded, pages } = usePages(pagedUsers)
  const seen = useMergedView(loaded, useAppState().me?.user, usersView)
  return (
    <ResourceList resource={users} screen="admin" loaded={seen} unread={noUsers} pages={pages} isActive={isActive} />
  )
}

export function UserScreen(props: SubjectProps) {
  const { subject } = props
  const load = useCallback((connection: TuiConnection) => readUserDetail(connection, subject), [subject])
  const loaded = useMergedView(useLoad(load), useAppState().me?.user, userDetailsView)
  return <ResourceDetail resource={userDetails} screen="user" loaded={loaded} gone="This user is gone" {...props} />
}

const noMails = mailsView({ items: [] })

/** The outbox of the service. */
export function MailsScreen({ isActive }: ScreenProps) {
  const { loaded, pages } = usePages(pagedMails)
  const seen = useMergedView(loaded, undefined, mailsView)
  return (
    <ResourceList resource={mails} screen="mails" loaded={seen} unread={noMails} pages={pages} isActive={isActive} />
  )
}
