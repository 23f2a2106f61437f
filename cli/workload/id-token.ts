import { exitCodes } from '../../shared/exit-codes.ts'
import { CliError } from '../output/cli-error.ts'
import { tokenOfBuildkite } from './buildkite.ts'
import { tokenOfGitHub } from './github.ts'
import type { Job, Way } from './job.ts'

const tokenVariable = 'POSTERN_ID_TOKEN'

/** GitLab, and others, put it where the job's file says. */
const tokenOfVariable: Way = async ({ env }) => env[tokenVariable] || undefined

/** What the job itself names comes first. */
const ways: readonly Way[] = [tokenOfVariable, tokenOfGitHub, tokenOfBuildkite]

/** The id token of the job that this runs in; exit 14 where there is none. */
export async function idTokenOf(job: Job): Promise<string> {
  for (const way of ways) {
    const token = await way(job)
    if (token) return token
  }
  throw noToken(job)
}

const noToken = ({ env, audience }: Job): CliError =>
  new CliError(exitCodes.inputNeeded, 'No id token of a CI provider is to be had here', {
    code: 'INPUT_NEEDED',
    details: [
      `GitHub Actions: give the job${env['GITHUB_ACTIONS'] === 'true' ? ', which has it not,' : ''} permissions: id-token: write`,
      `GitLab CI: give the job id_tokens: ${tokenVariable}: aud: ${audience}`,
      'Buildkite: run it in a job, with buildkite-agent in the PATH',
      `Others: put the token, made for ${audience}, into ${tokenVariable} or a file`,
    ],
    hint: 'postern sign-in --oidc --org ORG --id-token-file FILE',
    fields: ['--id-token-file'],
  })
