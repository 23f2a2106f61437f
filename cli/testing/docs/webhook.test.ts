import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { done, found } from '../../../server/testing/organizations.ts'
import { freePort } from '../../../server/testing/ports.ts'
import { temporaryFolder } from '../../../server/testing/temporary-folder.ts'
import { hookAt, makeTeams, startWebhookTest } from '../../../server/testing/webhooks.ts'
import { patience } from '../patience.ts'
import { codeBlocks } from './markdown.ts'
import { readPage } from './pages.ts'

// The receiver of docs/webhooks.md, run as it stands there.

let receiver: ChildProcess | undefined
afterAll(async () => {
  receiver?.kill()
  if (receiver) await once(receiver, 'exit')
})

it('the receiver takes what is signed, once, and nothing else', async () => {
  const test = await startWebhookTest()
  const acme = await found(test.service)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/hook`
  const { id: webhookId, secret } = await hookAt({ url }, acme, { events: ['team'] })
  const file = join(temporaryFolder('receiver'), 'receiver.mjs')
  writeFileSync(file, codeBlocks(readPage('docs/webhooks.md')).find(({ language }) => language === 'js')?.text ?? '')
  const env = { PATH: process.env.PATH ?? '', WEBHOOK_SECRET: secret, PORT: String(port) }
  receiver = spawn(process.execPath, [file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  receiver.stdout?.on('data', (text: Buffer) => {
    output += text.toString()
  })
  const post = (headers: Record<string, string>) => fetch(url, { method: 'POST', headers, body: '{"type":"forged"}' })
  const now = String(Math.floor(Date.now() / 1000))
  await vi.waitFor(() => post({}), { timeout: patience })
  const forged = { 'webhook-id': 'x', 'webhook-timestamp': now, 'webhook-signature': 'v1,AAAA' }
  expect((await post(forged)).status).toBe(401)
  const { cursor } = await done(acme.owner.get(`/webhook/view?webhookId=${webhookId}`))
  await makeTeams(acme, 2)
  test.send()
  await expect.poll(() => output.match(/^team-created \S+$/gm)?.length, { timeout: patience }).toBe(2)
  await done(acme.owner.post('/webhook/resume', { webhookId, after: cursor }))
  await makeTeams(acme, 1)
  await expect.poll(() => output.match(/^team-created \S+$/gm)?.length, { timeout: patience }).toBe(3)
  expect(output).not.toContain('forged')
  await test.stop()
})
