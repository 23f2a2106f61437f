import { commandWith } from '../../../flows/command-line.ts'
import { whyNotSeeKeys } from '../../../flows/org/view.ts'
import { trustList } from '../../../flows/trust/list.ts'
import { pick } from '../../hooks/pick.ts'
import { useShell } from '../../hooks/use-shell.ts'
import { useKeys } from '../keys/use-keys.tsx'
import { PanelPage, type PanelProps } from './panel-page.tsx'
import { tabsHeight } from './tabs.tsx'

/** The keys of the organization, and the way to the CI jobs that need none. */
export function KeysPanel(props: PanelProps) {
  const { view, keys, isActive } = props
  const shell = useShell()
  const { id: organizationId, slug } = view.organization
  const trusts = {
    id: 'trusts',
    label: 'CI jobs that sign in without a key',
    hint: commandWith(trustList, [], { flags: ['--org', slug] }),
    disabledReason: whyNotSeeKeys(view),
    run: () => shell.open({ screen: 'trusts', title: 'CI jobs', organizationId }),
  }
  const { body, intents, ...page } = useKeys({ keys, view, isActive, taken: tabsHeight, more: [trusts] })
  return (
    <PanelPage {...props} {...page} panel="keys" intents={{ ...intents, trusts: () => pick(shell, trusts) }}>
      {body}
    </PanelPage>
  )
}
