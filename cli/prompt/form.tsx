import { Box, render, Text, useInput } from 'ink'
import TextInput from 'ink-text-input'
import { type ReactNode, useEffect, useState } from 'react'
import { visible } from '../output/filter.ts'
import type { Question } from './ask.ts'
import { type Editing, typedInput } from './typed.ts'

export type PromptResult = readonly string[] | null | 'interrupted'

interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
}

interface FormProps {
  readonly questions: readonly Question[]
  readonly onEnd: (outcome: PromptResult) => void
  /** Told, after every change, what the editing keys do now. */
  readonly onEditing: (editing: Editing) => void
}

/** Asks one question after the other on stderr, so that stdout stays the result only. */
export async function promptForm(questions: readonly Question[], { stdin, stderr }: Streams): Promise<PromptResult> {
  let outcome: PromptResult = null
  let editing: Editing | undefined
  const input = typedInput(stdin, { erase: (change) => editing?.erase(change), end: () => editing?.end() })
  // The first frame comes before Ink listens: a key in between is for the first question, and Ctrl+C no signal.
  stdin.setRawMode(true)
  const app = render(
    <Form
      questions={questions.flatMap(withRepeat)}
      onEnd={(end) => {
        outcome = end
        app.unmount()
      }}
      onEditing={(now) => {
        editing = now
      }}
    />,
    { stdin: input, stdout: stderr, stderr, exitOnCtrlC: false, patchConsole: false },
  )
  await app.waitUntilExit()
  return outcome
}

const repeatFlag = 'repeat'
const withRepeat = (question: Question): Question[] =>
  question.repeat ? [question, { ...question, flag: repeatFlag, label: `${question.label} again` }] : [question]

function Form({ questions, onEnd, onEditing }: FormProps) {
  const [answers, setAnswers] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const [complaint, setComplaint] = useState('')
  const question = questions[answers.length]
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onEnd('interrupted')
    if (key.escape) onEnd(null)
  })

  useEffect(() => {
    onEditing({ erase: setTyped, end: () => typed === '' && onEnd(null) })
  }, [onEditing, onEnd, typed])

  const submit = (answer: string) => {
    const step = nextStep(questions, answers, answer)
    setTyped('')
    setComplaint(step.complaint)
    setAnswers(step.answers)
    if (step.answers.length === questions.length) onEnd(withoutRepeats(questions, step.answers))
  }
  // A paste brings its line end along as text: it ends the answer as the key would.
  const change = (value: string) => {
    const [line = '', ...rest] = value.split(/[\r\n]/)
    if (rest.length > 0) submit(line)
    else setTyped(line)
  }

  return (
    <Box flexDirection="column">
      {answers.map((answer, index) => (
        <Line key={questions[index]?.label} question={questions[index]}>
          <Text>{questions[index]?.secret ? '*'.repeat(8) : answer}</Text>
        </Line>
      ))}
      {question && (
        <Line question={question}>
          {/* One field for all questions: a new one would miss what is typed before it listens. */}
          <TextInput value={typed} onChange={change} onSubmit={submit} {...(question.secret ? { mask: '*' } : {})} />
        </Line>
      )}
      {complaint && <Text color="yellow">{complaint}</Text>}
    </Box>
  )
}

const Line = ({ question, children }: { readonly question: Question | undefined; readonly children: ReactNode }) => (
  <Box>
    <Text bold>{visible(question?.label ?? '')} </Text>
    {children}
  </Box>
)

function nextStep(questions: readonly Question[], answers: readonly string[], answer: string) {
  const question = questions[answers.length]
  const isRepeat = question?.flag === repeatFlag
  if (isRepeat && answer !== answers.at(-1)) {
    return { answers: answers.slice(0, -1), complaint: 'The two are not the same: type it again' }
  }
  if (answer === '' && question?.flag !== '--yes')
    return { answers, complaint: 'Type something, or press esc to cancel' }
  return { answers: [...answers, answer], complaint: '' }
}

const withoutRepeats = (questions: readonly Question[], answers: readonly string[]): readonly string[] =>
  answers.filter((_, index) => questions[index]?.flag !== repeatFlag)
