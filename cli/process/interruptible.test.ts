import { beforeAll, expect, it } from 'vitest'
import { makeFixture, spawnFixture } from '../testing/spawn-fixture.ts'

let file: string
beforeAll(async () => {
  file = await makeFixture('interrupted.fixture.ts')
})

it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  '%s ends at once what never ends, and is handled again afterwards',
  async (signal) => {
    const during = spawnFixture(file, ['during', signal])
    expect([await during.ended, during.process.signalCode]).toEqual([null, signal])
    const after = spawnFixture(file, ['after', signal])
    expect([await after.ended, after.process.signalCode]).toEqual([0, null])
  },
)
