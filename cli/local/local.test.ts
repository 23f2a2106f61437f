import { expect, it } from 'vitest'
import { exitCodes } from '../../shared/exit-codes.ts'
import { throwCliError, workStopped } from './local.ts'

it('tells what a failed migration says, not only what the server said', () => {
  const cause = Object.assign(new Error('canceling statement due to lock timeout'), { name: 'PostgresError' })
  const failure = Object.assign(new Error('Migration 0071_a.sql could not', { cause }), { name: 'FailedMigration' })
  expect(() => throwCliError(failure)).toThrow('The service cannot run: Migration 0071_a.sql could not')
  for (const code of ['CONNECTION_CLOSED', 'ECONNREFUSED'])
    expect(() => throwCliError(Object.assign(failure, { code }))).toThrow(
      expect.objectContaining({ exitCode: exitCodes.network, message: failure.message }),
    )
  expect(() => throwCliError(cause)).toThrow('The database cannot be used: canceling statement')
})

it('says of refused work on the database why, and not that the service cannot run', () => {
  const refusal = new Error('Somebody else has these ids here: user 1. Nothing was stored')
  const told = expect.objectContaining({ exitCode: exitCodes.failure, message: refusal.message, code: 'NOT_DONE' })
  expect(() => throwCliError(refusal, workStopped)).toThrow(told)
  expect(() => throwCliError(refusal)).toThrow(`The service cannot run: ${refusal.message}`)
  const settings = Object.assign(new Error('PORT is wrong'), { name: 'ConfigError' })
  expect(() => throwCliError(settings, workStopped)).toThrow(expect.objectContaining({ code: 'SETTINGS' }))
})

it('tells who may not make tables what to do, and not that PostgreSQL may be down', () => {
  const refusal = { name: 'PostgresError', code: '42501' }
  const error = Object.assign(new Error('permission denied for schema public'), refusal)
  const told = { exitCode: exitCodes.failure, hint: expect.stringContaining('alter database … owner to …') }
  expect(() => throwCliError(error)).toThrow(expect.objectContaining(told))
  const ofSource = Object.assign(new Error('no', { cause: error }), { name: 'UnusableSource' })
  expect(() => throwCliError(ofSource)).toThrow(expect.objectContaining({ hint: expect.stringContaining('--from') }))
})
