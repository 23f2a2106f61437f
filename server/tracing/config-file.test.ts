import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { cloneDatabase, settingsOf } from '../testing/database.ts'
import { ownPort, spawnServer } from '../testing/process.ts'
import { slack } from '../testing/slack.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'

// It starts a process.
vi.setConfig({ testTimeout: 200_000 * slack })

const configFile = `
import { appendFileSync } from 'node:fs'
import { NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'

const toFile = {
  export: (spans, done) => {
    for (const { name } of spans) appendFileSync('spans', name + '\\n')
    done({ code: 0 })
  },
  shutdown: () => Promise.resolve(),
}
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(toFile)] }).register()

export default {}
`

it('traces the built service when its config file registers an SDK', async () => {
  const [folder, { database, drop }] = [temporaryFolder('traced'), await cloneDatabase()]
  await writeFile(join(folder, 'postern.config.ts'), configFile)
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  const script = `process.chdir(${JSON.stringify(folder)}); serve().then((code) => { process.exitCode = code })`
  const service = spawnServer({ ...(await ownPort()), ...settingsOf(database) }, script)
  const url = await service.untilListening()
  await fetch(`${url}/get-session`)
  await fetch(`${url}/ready`)
  const spans = async () => (await readFile(join(folder, 'spans'), 'utf8')).split('\n').toSorted()
  // On a busy machine the check ends after the answer that it is for.
  await expect
    .poll(spans)
    .toEqual(['', 'GET /api/auth/get-session', 'GET /api/auth/ready', expect.stringContaining('SELECT migrations')])
  await service.kill('SIGTERM')
  await drop()
})
