import { Page, type ScreenProps } from '../page.tsx'
import { useKeys, useLoadedKeys } from './use-keys.tsx'

/** The keys that act as the signed-in person. */
export function OwnKeysScreen({ isActive }: ScreenProps) {
  const { body, ...page } = useKeys({ keys: useLoadedKeys(), isActive })
  return (
    <Page screen="own-keys" isActive={isActive} {...page}>
      {body}
    </Page>
  )
}
