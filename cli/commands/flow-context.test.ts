import { expect, it } from 'vitest'
import { createContext } from '../context.ts'
import { hostOf } from '../process/own-host.ts'
import { flowContextOf } from './flow-context.ts'

it('connects once, however many subjects a command has', async () => {
  const host = Object.create(
    hostOf(() => new AbortController().signal),
    { env: { value: { POSTERN_TOKEN: 'token' } } },
  )
  const { signedIn } = flowContextOf(createContext(host))
  expect(await signedIn()).toBe(await signedIn())
})
