import { Command } from 'commander'
import { type ExitCode, exitCodes } from '../../shared/exit-codes.ts'
import { describeCommand } from '../argv/command-metadata.ts'
import type { Context } from '../context.ts'
import type { Finding, Row } from '../doctor/findings.ts'
import type { Column } from '../output/cell.ts'

const columns: readonly Column<Row>[] = [
  { header: 'Status', value: ({ status }) => status },
  { header: 'Check', value: ({ check }) => check },
  { header: 'Message', value: ({ message }) => message },
  { header: 'Fix', value: ({ mend }) => mend },
]

export const doctorCommand = (context: Context): Command =>
  describeCommand(
    new Command('doctor')
      .description(
        'Find problems on this machine and on the way to the service, and say how to fix them; exits with 15 for files of this machine, 16 for anything else',
      )
      .option(
        '--fix',
        'fix what is safe to fix: file modes, stale locks, leftovers of interrupted writes; never a session or a shell file',
      )
      .action(({ fix = false }: { fix?: boolean }) => doctor(context, fix)),
    {
      form: 'list',
      ends: ['localState', 'problemFound'],
      globalFlags: ['--account', '--org'],
      fields: { check: 'text', status: 'text', message: 'text', mend: 'text?' },
      examples: ['', '--fix', '--json=check,status,mend'],
    },
  )

async function doctor(context: Context, fix: boolean): Promise<void> {
  const { runChecks } = await import('../doctor/examine.ts')
  const findings = await runChecks(context, { fix })
  const rows = findings.map(({ check, status, message, mend }) => ({ check, status, message, mend }))
  const { out } = context
  if (out.style.mode === 'people') {
    const { findingLines } = await import('../doctor/findings.ts')
    out.text(rows.map((row) => findingLines(row, out.style.page)).join('\n'), { items: rows })
  } else await out.list(rows, columns, { empty: '', id: 'check' })
  context.exitCode = codeOf(findings)
}

/**
 * Exit 15 if the problem is in files of this machine, as in every command. Else the check itself has worked, so not 1.
 */
function codeOf(findings: readonly Finding[]): ExitCode {
  const problems = findings.filter(({ status }) => status === 'problem')
  if (problems.length === 0) return exitCodes.done
  return problems.some(({ isLocal }) => isLocal) ? exitCodes.localState : exitCodes.problemFound
}
