import { Box, render, Text, useInput, useStdin, useStdout } from 'ink'
import { type ReactNode, useCallback, useEffect, useReducer, useState } from 'react'
import { escapeControls } from '../output/escape-controls.ts'
import { maskSign, secretMask } from '../output/mask.ts'
import { displayWidth, truncateEnd } from '../output/width.ts'
import { keepRaw, suspendKey, suspendRaw } from '../process/suspension.ts'
import type { Question } from './ask.ts'
import { Field } from './field.tsx'
import { isRemoval, proposalText } from './proposal.ts'

type PromptResult = readonly string[] | null | 'interrupted'

interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
  /** Aborted from outside: the reason is thrown. */
  readonly signal: AbortSignal
}

interface FormProps {
  readonly questions: readonly Question[]
  readonly onEnd: (outcome: PromptResult) => void
  /** Called after every commit, when the next key finds all handlers up to date. */
  readonly onReady: (editing: Editing) => void
}

/** Asks the questions one after the other on stderr, so that stdout carries only the result. */
export async function promptForm(
  questions: readonly Question[],
  { stdin, stderr, signal }: Streams,
): Promise<PromptResult> {
  let outcome: PromptResult = null
  const { input, onReady } = typedInput(stdin)
  // The first frame is drawn before Ink listens. Raw mode keeps keys for the first question, and Ctrl+C from being a
  // signal.
  const show = keepRaw(stdin)
  const app = render(
    <Form
      questions={questions.flatMap(withRepeat)}
      onEnd={(end) => {
        outcome = end
        app.unmount()
      }}
      onReady={onReady}
    />,
    { stdin: input, stdout: stderr, stderr, exitOnCtrlC: false, patchConsole: false },
  )
  const stop = () => app.unmount()
  signal.addEventListener('abort', stop, { once: true })
  await app.waitUntilExit()
  signal.removeEventListener('abort', stop)
  show()
  signal.throwIfAborted()
  return outcome
}

const repeatFlag = 'repeat'
const withRepeat = (question: Question): Question[] =>
  question.repeat ? [question, { ...question, flag: repeatFlag, label: `${question.label} again` }] : [question]

function Form({ questions, onEnd, onReady }: FormProps) {
  const [answers, setAnswers] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const [complaint, setComplaint] = useState('')
  const [commits, commitAgain] = useReducer((count: number) => count + 1, 0)
  const question = questions[answers.length]
  const { columns } = useStdout().stdout
  const suspend = useSuspension()
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onEnd('interrupted')
    if (key.escape) onEnd(null)
  })

  // An effect of a parent runs after those of its children: the field listens with its newest text by then.
  useEffect(() => {
    onReady({ end: () => typed === '' && onEnd(null), suspend, commitAgain })
  }, [onReady, onEnd, suspend, typed, commits])

  // Ends only after the last answer is drawn, so that its mask does not reveal the length either.
  useEffect(() => {
    if (answers.length === questions.length) onEnd(withoutRepeats(questions, answers))
  }, [answers, questions, onEnd])

  const submit = (answer: string) => {
    const step = nextStep(questions, answers, answer)
    setTyped('')
    setComplaint(step.complaint)
    setAnswers(step.answers)
  }
  // A paste contains its line end as text, as does input typed before the question appeared. It submits the answer like
  // enter, but does not accept the proposal, which nobody has seen yet.
  const change = (value: string) => {
    const [line = '', ...rest] = value.split(/[\r\n]/)
    if (rest.length > 0) submit(line)
    else setTyped(line)
  }

  return (
    <Box flexDirection="column">
      {answers.map((answer, index) => (
        <Line key={questions[index]?.label} question={questions[index]}>
          <Text>{shownAnswer(questions[index], answer, columns)}</Text>
        </Line>
      ))}
      {question && (
        <Line question={question}>
          {/* One field for all questions: a new field would lose input typed before it listens. */}
          <Field
            value={typed}
            onChange={change}
            onSubmit={(answer) => submit(answer || (question.proposal ?? ''))}
            {...(question.secret ? { mask: maskSign } : {})}
          />
        </Line>
      )}
      {complaint && <Text color="yellow">{complaint}</Text>}
    </Box>
  )
}

const [showCursor, hideCursor] = ['\u001b[?25h', '\u001b[?25l']

/** Returns what Ctrl+Z does. After each stop, the last lines are those of the shell, so the question is drawn again. */
function useSuspension(): () => void {
  const { stdout, write } = useStdout()
  const { stdin } = useStdin()
  useEffect(() => {
    const repaint = () => write(hideCursor)
    process.on('SIGCONT', repaint)
    return () => void process.off('SIGCONT', repaint)
  }, [write])
  return useCallback(() => {
    stdout.write(showCursor)
    suspendRaw(stdin)
  }, [stdout, stdin])
}

const Line = ({ question, children }: { readonly question: Question | undefined; readonly children: ReactNode }) => (
  <Box>
    <Box flexShrink={0}>
      <Text bold>{escapeControls(question ? titleOf(question) : '')} </Text>
    </Box>
    {children}
  </Box>
)

const titleOf = (question: Question): string =>
  question.proposal
    ? `${question.label} ${proposalText(question.mayBeEmpty ? truncateEnd(question.proposal, longestProposal) : question.proposal, question.mayBeEmpty)}`
    : question.label

/** Columns: an image can be a long data URL, which nobody reads. */
const longestProposal = 40

/** An accepted proposal is already in the question, so its answer gets only the rest of the line. */
function shownAnswer(question: Question | undefined, answer: string, columns: number): string {
  if (question?.secret) return secretMask(answer)
  return question?.proposal === answer
    ? truncateEnd(answer, Math.max(1, columns - displayWidth(titleOf(question)) - 1))
    : answer
}

function nextStep(questions: readonly Question[], answers: readonly string[], answer: string) {
  const question = questions[answers.length]
  const isRepeat = question?.flag === repeatFlag
  if (isRepeat && answer !== answers.at(-1)) {
    return { answers: answers.slice(0, -1), complaint: 'The two do not match: type it again' }
  }
  if (answer === '' && !isAnsweredByNothing(question))
    return { answers, complaint: 'Type something, or press esc to cancel' }
  const meant = meantBy(question, answer)
  const problem = question?.problem?.(meant)
  if (problem) return { answers, complaint: problem }
  return { answers: [...answers, meant], complaint: '' }
}

const meantBy = (question: Question | undefined, answer: string): string =>
  isRemoval(answer, question?.mayBeEmpty) ? '' : answer

const isAnsweredByNothing = (question: Question | undefined): boolean =>
  question?.flag === '--yes' || (question?.mayBeEmpty === true && !question.proposal)

const withoutRepeats = (questions: readonly Question[], answers: readonly string[]): readonly string[] =>
  answers.filter((_, index) => questions[index]?.flag !== repeatFlag)

const endOfInput = '\u0004'
const escape = '\u001b'
/** Enter, tab, backspace, Ctrl+C and escape, and Ctrl with A, E, K, U and W, which edit a line. */
const kept = `\r\n\t\b\u007f\u0003\u0001\u0005\u000b\u0015\u0017${escape}`
/**
 * Splits input into single keys and runs of text: Ink would take several keys in one read for text. `[[A` to `[[E` are
 * function keys of the Linux console.
 */
const strokes = new RegExp(`${escape}(?:\\[\\[[A-E]|\\[[0-?]*[ -/]*[@-~]|O[A-Za-z])?|\\r\\n?|\\p{Cc}|\\P{Cc}+`, 'gu')
/** The start of an escape sequence, whose rest may come with the next read. */
const unfinished = new RegExp(`${escape}(?:\\[\\[|\\[[0-?]*[ -/]*|O)?$`)
/** Milliseconds to wait for that rest. After that, a lone escape is a key. */
const escapeDelay = 30
/** React may commit what the key changed apart from `commitAgain`. */
const commitsOfStroke = 2

interface Editing {
  /** For Ctrl+D. */
  readonly end: () => void
  /** For Ctrl+Z. */
  readonly suspend: () => void
  /** Commits once more, whatever the key changed. */
  readonly commitAgain: () => void
}

/**
 * The terminal's input, one key or run of text per read, each after what the previous one changed was committed: a
 * field that is not up to date would lose it.
 */
function typedInput(stdin: NodeJS.ReadStream) {
  const queue: string[] = []
  let rest = ''
  let timer: NodeJS.Timeout | undefined
  let editing: Editing | undefined
  let commitsLeft = 0
  const giveUp = () => {
    if (rest === escape) queue.push(rest)
    rest = ''
    stdin.emit('readable')
  }
  const fill = (typed: string | Buffer | null) => {
    if (typed === null) return
    clearTimeout(timer)
    const text = rest + String(typed)
    rest = unfinished.exec(text)?.[0] ?? ''
    queue.push(...(text.slice(0, text.length - rest.length).match(strokes) ?? []))
    if (rest) timer = setTimeout(giveUp, escapeDelay)
  }
  const read = (): string | null => {
    if (!editing || commitsLeft > 0) return null
    if (queue.length === 0) fill(stdin.read())
    const stroke = queue.shift()
    if (stroke === undefined) return null
    commitsLeft = commitsOfStroke
    editing.commitAgain()
    return take(stroke, editing)
  }
  const onReady: FormProps['onReady'] = (now) => {
    editing = now
    if (commitsLeft === 0) return
    commitsLeft -= 1
    if (commitsLeft > 0) now.commitAgain()
    else stdin.emit('readable')
  }
  const input = new Proxy(stdin, {
    get: (target, name) => {
      if (name === 'read') return read
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { input, onReady }
}

/** Other control characters must not reach a field. */
function take(stroke: string, { end, suspend }: Editing): string {
  if (stroke === endOfInput) end()
  if (stroke === suspendKey) suspend()
  return /^\p{Cc}/u.test(stroke) && !kept.includes(stroke.charAt(0)) ? '' : stroke.replace('\r\n', '\r')
}
