import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { endRunning, watchOver } from './running.ts'

const waiting = () => spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })

it('ends what a test left running, and says so', async () => {
  const child = waiting()
  watchOver(child)
  await once(child, 'spawn')
  await expect(endRunning()).rejects.toThrow(`process ${child.pid}`)
  expect(child.signalCode).toBe('SIGKILL')
  await endRunning()
})

it('has nothing to say of what ended by itself, or never began', async () => {
  const child = waiting()
  const none = spawn('/nowhere/to/be/found')
  for (const one of [child, none]) watchOver(one)
  await once(none, 'error')
  child.kill()
  await once(child, 'exit')
  await expect(endRunning()).resolves.toBeUndefined()
})

it('says which process crashed, and what it wrote', async () => {
  const child = waiting()
  watchOver(child, () => 'Check failed')
  child.kill('SIGTRAP')
  await once(child, 'exit')
  await expect(endRunning()).rejects.toThrow(`Crashed: process ${child.pid} (SIGTRAP) Check failed`)
  await endRunning()
})
