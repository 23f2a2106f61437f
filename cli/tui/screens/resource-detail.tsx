import type { ReactNode } from 'react'
import { copiedOf, detailOf, type Resource } from '../../flows/resource.ts'
import { useActs } from '../hooks/use-acts.ts'
import type { Intents } from '../hooks/use-bindings.ts'
import { useShell } from '../hooks/use-shell.ts'
import type { KeyScope } from '../keys/names.ts'
import { MenuView, useMenu } from './menu-view.tsx'
import { type Loaded, Page, type ScreenProps, Waiting } from './page.tsx'

export interface ResourceDetailProps<T extends object, V> extends ScreenProps {
  readonly resource: Resource<T, V>
  readonly screen: KeyScope
  readonly loaded: Loaded<V>
  /** Its id. */
  readonly subject: string
  /** Said where it is no more. */
  readonly gone: string
  /** A line above the whole. */
  readonly above?: ReactNode
  /** Keys of the place around it. */
  readonly around?: Intents
}

/** One thing whole, and what can be done with it. */
export function ResourceDetail<T extends object, V>(props: ResourceDetailProps<T, V>) {
  const { resource, screen, loaded, subject, gone, isActive, around = {} } = props
  const view = loaded.data
  const one = view === undefined ? undefined : resource.of(view).find((each) => resource.id(each) === subject)
  if (view !== undefined && one) return <One {...props} one={one} view={view} />
  return <Waiting screen={screen} isActive={isActive} loaded={loaded} gone={gone} intents={around} />
}

interface OneProps<T extends object, V>
  extends Pick<ResourceDetailProps<T, V>, 'resource' | 'screen' | 'isActive' | 'above' | 'around'> {
  readonly one: T
  readonly view: V
}

function One<T extends object, V>({ resource, screen, isActive, above, around, one, view }: OneProps<T, V>) {
  const shell = useShell()
  const acts = useActs(ofOne(resource), {
    view,
    selected: one,
    chosen: [one],
    isDetail: true,
    onDone: () => {},
    onRemoved: shell.back,
  })
  const entries = acts.actions.choices.map((choice) => ({ hint: '', ...choice }))
  const menu = useMenu(entries, detailOf(resource, one, view).facts, above ? 1 : 0)
  return (
    <Page
      screen={screen}
      isActive={isActive}
      above={above}
      {...acts}
      intents={{
        ...menu.list.intents,
        ...acts.intents,
        open: menu.open,
        'copy-id': () => shell.copy(...copiedOf(resource, one)),
        'copy-command': () => shell.copy(resource.command(one, view), 'the command'),
        ...around,
      }}
    >
      <MenuView menu={menu} note={null} />
    </Page>
  )
}

/** Without what is about the list alone. */
const ofOne = <T extends object, V>(resource: Resource<T, V>): Resource<T, V> => ({
  ...resource,
  below: undefined,
  acts: resource.acts.filter(({ about }) => about !== 'place'),
})
