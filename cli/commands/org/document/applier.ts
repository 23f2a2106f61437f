import { exitCodes } from '../../../../shared/exit-codes.ts'
import type { Connection } from '../../../client/connection.ts'
import { teamsInput } from '../../../flows/org/view.ts'
import { permissionsOfWords } from '../../../flows/role/permission-words.ts'
import { CliError } from '../../../output/cli-error.ts'
import { sameWords } from '../../../output/words.ts'
import { type KnownMember, type KnownOrganization, readCurrent, teamsNamed } from './current.ts'
import { personTeams, teamList } from './person-teams.ts'
import type { OrganizationChange, Step } from './plan.ts'
import type { OrganizationDocument } from './schema.ts'

type StepOf<K extends Step['kind']> = Extract<Step, { readonly kind: K }>

interface ApplierInput {
  readonly connection: Connection
  /** The current organization; null if it is still to be created. */
  readonly known: KnownOrganization | null
  readonly wanted: OrganizationDocument
  /** Address of the person who applies the document. */
  readonly actor: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Applies the steps of a plan at the service, one at a time and in order. */
export class Applier {
  readonly #around: ApplierInput
  #known: KnownOrganization | null
  /** The team that the service creates with an organization, if the document does not list it. */
  #spare: string | undefined

  constructor(around: ApplierInput) {
    this.#around = around
    this.#known = around.known
  }

  async perform(step: Step): Promise<void> {
    if (step.action === 'none') return
    if (step.kind === 'organization') return this.#organization(step)
    if (step.kind === 'role') return this.#role(step)
    if (step.kind === 'team') return this.#team(step)
    if (step.kind === 'member') return step.action === 'delete' ? this.#removeMember(step) : this.#settle(step)
    return step.action === 'delete' ? this.#cancel(step) : this.#invite(step)
  }

  get #api(): Connection['api'] {
    return this.#around.connection.api
  }

  get #here(): KnownOrganization {
    if (this.#known) return this.#known
    throw gone('The organization was not created', 'ORGANIZATION_NOT_FOUND')
  }

  async #organization({ action, name: slug, change }: StepOf<'organization'>): Promise<void> {
    if (action === 'create') return this.#create(slug, change)
    const { organizationId } = this.#here
    await this.#api.organization.update({ organizationId, data: change })
  }

  async #create(slug: string, { name = slug, logo, metadata, fields }: OrganizationChange): Promise<void> {
    const { connection, now, wanted } = this.#around
    const optional = { ...(logo && { logo }), ...(metadata && { metadata }), ...(fields && { fields }) }
    const made = { name, slug, ...optional, keepCurrentActiveOrganization: true }
    const { id } = await this.#api.organization.create(made)
    this.#known = await readCurrent(connection, id, now)
    const names = wanted.teams?.map((team) => team.name) ?? []
    this.#spare = [...this.#known.teams.keys()].find((team) => !names.includes(team))
    if (this.#known.current.organization.slug !== slug) throw otherSlug(slug, this.#known.current.organization.slug)
  }

  async #role({ action, name, permissions }: StepOf<'role'>): Promise<void> {
    const { organizationId } = this.#here
    const permission = permissionsOfWords(permissions)
    if (action === 'create') await this.#api.role.createRole({ organizationId, role: name, permission })
    if (action === 'update') await this.#api.role.updateRole({ organizationId, roleName: name, data: { permission } })
    if (action === 'delete') await this.#api.role.deleteRole({ organizationId, roleName: name })
  }

  async #team(step: StepOf<'team'>): Promise<void> {
    if (step.action === 'rename') return this.#renameTeam(step.from, step.name)
    return step.action === 'create' ? this.#createTeam(step.name) : this.#deleteTeam(step.name)
  }

  /** The first new team renames the spare team, because the last team of an organization cannot be removed. */
  async #createTeam(name: string): Promise<void> {
    const { organizationId, teams } = this.#here
    if (teams.has(name)) return
    if (this.#spare !== undefined) return this.#renameSpare(this.#spare, name)
    const { id } = await this.#api.team.createTeam({ name, organizationId })
    teams.set(name, id)
  }

  async #renameSpare(spare: string, name: string): Promise<void> {
    await this.#renameTeam(spare, name)
    this.#spare = undefined
    await this.#leave(this.#around.actor, name)
  }

  async #renameTeam(from: string, name: string): Promise<void> {
    const { organizationId, teams, members } = this.#here
    const teamId = this.#teamId(from)
    await this.#api.team.updateTeam({ teamId, data: { name, organizationId } })
    teams.delete(from)
    teams.set(name, teamId)
    const renamed = (team: string) => (team === from ? name : team)
    for (const [email, member] of members)
      members.set(email, { ...member, team: personTeams(teamList(member.team).map(renamed)) })
  }

  /** The actor leaves the team first, because nobody can delete the team they are in. */
  async #deleteTeam(name: string): Promise<void> {
    const { organizationId, members } = this.#here
    const { actor } = this.#around
    if (teamList(members.get(actor)?.team).includes(name)) await this.#leave(actor, name)
    await this.#api.team.removeTeam({ teamId: this.#teamId(name), organizationId })
  }

  /** The teams come first, because the change could depend on the present roles. */
  async #settle({ name: email, roles, team }: StepOf<'member'>): Promise<void> {
    const { organizationId } = this.#here
    const member = this.#member(email)
    if (team !== undefined) await this.#place(email, teamList(team))
    if (roles && !sameWords(roles, member.roles))
      await this.#api.member.updateMemberRole({ memberId: member.memberId, role: [...roles], organizationId })
  }

  /** New teams come first. A service on which a member is in one team at most then has moved them already. */
  async #place(email: string, wanted: readonly string[]): Promise<void> {
    const present = () => teamList(this.#member(email).team)
    for (const name of wanted) if (!present().includes(name)) await this.#join(email, name)
    for (const name of present()) if (!wanted.includes(name)) await this.#leave(email, name)
  }

  async #join(email: string, name: string): Promise<void> {
    const { members, teams } = this.#here
    const member = this.#member(email)
    const joined = await this.#api.team.addTeamMember({ teamId: this.#teamId(name), userId: member.userId })
    const names = new Map([...teams].map(([team, id]) => [id, team]))
    members.set(email, { ...member, team: teamsNamed(joined, names) })
  }

  async #leave(email: string, name: string): Promise<void> {
    const { members } = this.#here
    const member = this.#member(email)
    await this.#api.team.removeTeamMember({ teamId: this.#teamId(name), userId: member.userId })
    members.set(email, { ...member, team: personTeams(teamList(member.team).filter((team) => team !== name)) })
  }

  async #removeMember({ name: email }: StepOf<'member'>): Promise<void> {
    const { organizationId } = this.#here
    await this.#api.member.removeMember({ memberIdOrEmail: this.#member(email).memberId, organizationId })
  }

  /** Sends `resend` even without a known invitation: one could have been created since. */
  async #invite({ name: email, roles, team }: StepOf<'invitation'>): Promise<void> {
    const { organizationId } = this.#here
    const teamId = teamsInput(teamList(team).map((one) => this.#teamId(one)))
    await this.#api.invitation.inviteMember({ email, role: [...roles], organizationId, resend: true, teamId })
  }

  async #cancel({ name: email }: StepOf<'invitation'>): Promise<void> {
    const invitationId = this.#here.invitations.get(email)
    if (invitationId === undefined) throw gone(`${email} is not invited any more`, 'INVITATION_NOT_FOUND')
    await this.#api.invitation.cancelInvitation({ invitationId })
  }

  #member(email: string): KnownMember {
    const member = this.#here.members.get(email)
    if (member) return member
    throw gone(`${email} is no member`, 'MEMBER_NOT_FOUND')
  }

  #teamId(name: string): string {
    const id = this.#here.teams.get(name)
    if (id !== undefined) return id
    throw gone(`There is no team ${name}: it was not created`, 'TEAM_NOT_FOUND')
  }
}

/**
 * A function of the service's configuration can choose another slug. Under its own, the document would not find the
 * organization again.
 */
const otherSlug = (wanted: string, given: string): CliError =>
  new CliError(exitCodes.conflict, `The service made the organization ${given} instead of ${wanted}`, {
    code: 'OTHER_SLUG',
    hint: 'Write that slug into the document, and apply it again',
  })

const gone = (message: string, code: string): CliError =>
  new CliError(exitCodes.notFound, message, { code, hint: 'Apply the document again' })
