import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Request } from './person.ts'

/** What one run of wrk saw; times in milliseconds. */
export interface Load {
  readonly requests: number
  readonly seconds: number
  /** Requests a second. */
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** Requests without an answer, or with one that is no success. */
  readonly errors: number
  /** Of an answer, with its headers. */
  readonly bytes: number
}

export interface LoadPlan {
  readonly origin: string
  readonly requests: readonly Request[]
  readonly connections: number
  /** The most that it takes. */
  readonly seconds: number
  /** Sends each request once and stops then. Else they are sent in turn until the time is over. */
  readonly isOnce?: boolean
}

export interface RunningLoad {
  readonly finished: Promise<Load>
  /** Before its time. */
  stop(): void
}

/** Sends requests from a process of its own, so that its work is not counted as the service's. */
export function startWrk(plan: LoadPlan): RunningLoad {
  const folder = mkdtempSync(join(tmpdir(), 'postern-wrk-'))
  const script = join(folder, 'requests.lua')
  writeFileSync(script, scriptOf(plan))
  const options = ['-t1', `-c${plan.connections}`, `-d${plan.seconds}s`, '--timeout', '30s', '-s', script, plan.origin]
  const wrk = spawn('wrk', options, { stdio: ['ignore', 'pipe', 'inherit'] })
  // It sleeps until its time is over, unless it is interrupted.
  const stop = () => void wrk.kill('SIGINT')
  const abandon = () => void wrk.kill('SIGKILL')
  process.once('exit', abandon)
  let said = ''
  wrk.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.includes(allAnswered)) stop()
  })
  const finished = once(wrk, 'close').then(() => loadIn(said))
  const remove = () => {
    process.off('exit', abandon)
    rmSync(folder, { recursive: true, force: true })
  }
  return { finished: finished.finally(remove), stop }
}

const allAnswered = 'all answered after'

function loadIn(said: string): Load {
  const [, json] = /^summary (\{.*\})$/m.exec(said) ?? []
  if (json === undefined) throw new Error(`wrk printed no summary, but: ${said}`)
  const summary = JSON.parse(json) as Record<'requests' | 'seconds' | 'bytes' | 'p50' | 'p99' | 'errors', number>
  const [, answered] = /^all answered after (\S+)$/m.exec(said) ?? []
  const seconds = answered === undefined ? summary.seconds : Number(answered)
  const { requests, p50, p99, errors } = summary
  if (requests === 0) throw new Error(`No request was answered in ${seconds} s`)
  return { requests, seconds, rate: requests / seconds, p50, p99, errors, bytes: summary.bytes / requests }
}

function scriptOf({ requests, isOnce = false }: LoadPlan): string {
  const rows = requests.map(({ method, path, headers, body }) => {
    const named = Object.entries(headers).map(([name, value]) => `[ ${quote(name)} ] = ${quote(value)}`)
    return `{${quote(method)}, ${quote(path)}, {${named.join(', ')}}, ${body === undefined ? 'nil' : quote(body)}}`
  })
  return [`local rows = {\n${rows.join(',\n')}\n}`, inTurn, isOnce ? untilAllAnswered : '', summary].join('\n')
}

const quote = (text: string): string => {
  if (text.includes(']==]')) throw new Error(`Lua cannot quote ${text}`)
  return `[==[${text}]==]`
}

const inTurn = `
local made, sent = {}, 0
function init(args)
  for n, row in ipairs(rows) do made[n] = wrk.format(row[1], row[2], row[3], row[4]) end
end
function request()
  sent = sent + 1
  return made[(sent - 1) % #made + 1]
end`

/** A connection for which no request is left waits longer than the run lasts. */
const untilAllAnswered = `
local ffi = require('ffi')
ffi.cdef('typedef struct { long s; long us; } moment; int gettimeofday(moment *, void *);')
local function now()
  local moment = ffi.new('moment')
  ffi.C.gettimeofday(moment, nil)
  return tonumber(moment.s) + tonumber(moment.us) / 1e6
end
local began, given, answered = nil, 0, 0
function delay()
  began = began or now()
  if given == #rows then return 600000 end
  given = given + 1
  return 0
end
function response()
  answered = answered + 1
  if answered < #rows then return end
  io.write(string.format('${allAnswered} %f\\n', now() - began))
  io.flush()
  wrk.thread:stop()
end`

const summary = `
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'summary {"requests":%d,"seconds":%f,"bytes":%d,"p50":%f,"p99":%f,"errors":%d}\\n',
    summary.requests, summary.duration / 1e6, summary.bytes, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end`
