import { exitCodes } from '../../../../shared/exit-codes.ts'
import { missingPermissions, type Roles } from '../../../../shared/permissions.ts'
import { permissionsOfWords } from '../../../flows/role/permission-words.ts'
import { CliError } from '../../../output/cli-error.ts'
import type { CurrentOrganization } from './current.ts'
import type { Step } from './plan.ts'

interface Facts {
  readonly organization: string
  readonly actor: string
  /** What each role allows now. */
  readonly allowed: Roles
}

/** What lets the actor act: the roles that they have, and what each role allows. */
interface Rights {
  readonly held: readonly string[]
  readonly allowed: Roles
}

/**
 * Refuses steps for which the actor lacks a permission that an earlier step has taken away. What the actor lacks from
 * the start is for the service to refuse.
 */
export function checkOwnRights(
  steps: readonly Step[],
  current: CurrentOrganization | null,
  { organization, actor, allowed }: Facts,
): void {
  const before: Rights = { held: current?.members.find(({ email }) => email === actor)?.roles ?? [], allowed }
  let now = before
  const lines = steps.flatMap((step) => {
    const needed = permissionsOfWords(neededBy(step, actor))
    const missing = missingPermissions(now.allowed, now.held, needed)
    const lost = missing.filter((one) => !missingPermissions(before.allowed, before.held, needed).includes(one))
    now = afterStep(now, step, actor)
    return lost.length > 0 ? [`${step.kind} ${step.name}: ${step.action} needs ${lost.join(', ')}`] : []
  })
  if (lines.length === 0) return
  throw new CliError(
    exitCodes.forbidden,
    `The document of ${organization} takes permissions away from you that its last steps need`,
    {
      code: 'FORBIDDEN',
      details: lines.slice(0, 20),
      hint: 'Leave these as they are in the document, and let somebody apply them who keeps the permissions',
    },
  )
}

function neededBy(step: Step, actor: string): readonly string[] {
  if (step.kind === 'role' && step.action === 'delete') return ['ac:delete', ...step.permissions]
  if (step.kind === 'role' && step.action === 'update')
    return ['ac:update', ...step.permissions, ...(step.was?.permissions ?? [])]
  return step.kind === 'member' && step.name === actor && step.roles ? ['member:update'] : []
}

function afterStep({ held, allowed }: Rights, step: Step, actor: string): Rights {
  if (step.kind === 'role' && step.action === 'update')
    return { held, allowed: { ...allowed, [step.name]: permissionsOfWords(step.permissions) } }
  return { held: (step.kind === 'member' && step.name === actor && step.roles) || held, allowed }
}
