import { useAppState } from '../../hooks/use-app-state.ts'
import { Page, type ScreenProps } from '../page.tsx'
import { SignedOutScreen } from '../signed-out.tsx'
import { useKeys } from './use-keys.tsx'

/** The keys that act as the signed-in person. */
export function OwnKeysScreen({ isActive }: ScreenProps) {
  const { body, ...page } = useKeys({ isActive })
  if (useAppState().me === null) return <SignedOutScreen screen="own-keys" isActive={isActive} />
  return (
    <Page screen="own-keys" isActive={isActive} {...page}>
      {body}
    </Page>
  )
}
