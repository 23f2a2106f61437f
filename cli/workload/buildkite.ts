import { execFile } from 'node:child_process'
import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import type { Job, Way } from './job.ts'

const agent = 'buildkite-agent'

/** Buildkite's agent gets one for the job that it runs. */
export const tokenOfBuildkite: Way = async (job) => (job.env['BUILDKITE'] === 'true' ? ask(job) : undefined)

const ask = ({ audience, env, cwd, timeout, signal }: Job): Promise<string | undefined> =>
  new Promise((resolve, reject) => {
    const args = ['oidc', 'request-token', '--audience', audience]
    const options = { env: { ...env }, cwd, timeout, signal, encoding: 'utf8', windowsHide: true } as const
    execFile(agent, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout.trim())
      if (error.code === 'ENOENT') return resolve(undefined)
      reject(signal.aborted ? signal.reason : refusedBy(stderr, error))
    })
  })

/** The last thing that it says. */
function refusedBy(said: string, cause: unknown): CliError {
  const why = said.trim().split('\n').at(-1)?.slice(0, 300)
  return new CliError(exitCodes.failure, `buildkite-agent gave no id token${why ? `: ${why}` : ''}`, {
    code: 'NO_ID_TOKEN',
    hint: 'Try it by itself: buildkite-agent oidc request-token --audience URL',
    cause,
  })
}
