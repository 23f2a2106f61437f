import { github } from './github.ts'
import { google } from './google.ts'
import type { Provider } from './provider.ts'

/** Every provider that settings can turn on: to add one is one file and one line here. */
export const providers: readonly Provider[] = [github, google]
