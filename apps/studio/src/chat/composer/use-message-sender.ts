import { useCallback, useState } from 'react'
import { agentOf, rootAgent, type Transcript } from 'millrace'
import { type OutgoingPrompt, type Session, steerRun } from 'millrace/client'
import { useTranscript } from 'millrace/react'
import { readField, readString } from '../../json/index.ts'
import type { UploadedFile } from '../attachments/index.ts'

/** A message to send. */
export interface Message {
  readonly text: string
  readonly files?: readonly UploadedFile[]
  /** The agent to steer; the root by default. */
  readonly agent?: string | undefined
}

/** A message that was sent to the run in progress. */
interface SteeringMessage extends Message {
  /** Number of blocks when it was sent; it can only appear after them. */
  readonly after: number
}

/** A prompt with files that the transcript does not show yet. */
interface OutgoingQuestion extends OutgoingPrompt {
  readonly files: readonly UploadedFile[]
  readonly error: { readonly message: string } | undefined
}

/** Sends messages and lists those that are not shown yet. */
export interface MessageSender {
  /** Sends a prompt, or steers the run in progress. */
  readonly send: (message: Message) => void
  /** Messages to the run or to one agent that are not shown yet. */
  readonly steered: readonly { readonly text: string; readonly to?: string }[]
  readonly outgoing: OutgoingQuestion | undefined
}

const isReading = (session: Session): boolean =>
  ['connecting', 'streaming', 'waiting'].includes(session.getSnapshot().connection.state)

/** Sends messages: to the run in progress if there is one, otherwise as a prompt. */
export function useMessageSender(session: Session): MessageSender {
  const { steer, steered } = useSteering(session)
  const { ask, outgoing } = useAskWithFiles(session)
  const send = useCallback(
    (message: Message) => {
      const { text, files = [] } = message
      // The session reports rejected promises itself.
      if (files.length > 0) void ask(text, files)
      else (isReading(session) ? steer(message) : session.run(text)).catch(() => {})
    },
    [session, steer, ask],
  )
  return { send, steered, outgoing }
}

/** Sends prompts with files, which `session.run` does not support. */
function useAskWithFiles(session: Session) {
  const [outgoing, setOutgoing] = useState<OutgoingQuestion>()
  const ask = useCallback(
    async (text: string, files: readonly UploadedFile[]) => {
      const question = { text, files, state: 'sending', error: undefined } as const
      const before = runsOf(session.getSnapshot().transcript)
      setOutgoing(question)
      const isAsked = () => runsOf(session.getSnapshot().transcript) > before
      const forget = session.subscribe(() => {
        if (isAsked()) setOutgoing(undefined)
      })
      try {
        await askWithFiles(session, text, files)
        setOutgoing(undefined)
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        if (!isAsked()) setOutgoing({ ...question, state: 'unsent', error: { message } })
      } finally {
        forget()
      }
    },
    [session],
  )
  return { ask, outgoing }
}

/** Steers the run in progress. */
function useSteering(session: Session) {
  const [sent, setSent] = useState<readonly SteeringMessage[]>([])
  const steer = useCallback(
    async ({ text, agent }: Message) => {
      const message = {
        text,
        agent,
        after: blocksOf(session.getSnapshot().transcript, agent).length,
      }
      setSent((before) => [...before, message])
      const forget = () => setSent((before) => before.filter((other) => other !== message))
      const isTaken = await steerRun(session, text, agent).catch(() => false)
      // The run may have ended meanwhile; then the message is a new prompt.
      await session.watch().catch(() => {})
      forget()
      if (!isTaken) await session.run(text)
    },
    [session],
  )
  const select = useCallback(
    (transcript: Transcript) =>
      JSON.stringify(
        sent
          .filter((message) => !isShown(transcript, message))
          .map(({ text, agent }) => ({ text, to: agent && agentOf(transcript, agent)?.name })),
      ),
    [sent],
  )
  return { steer, steered: JSON.parse(useTranscript(session, select)) as MessageSender['steered'] }
}

function runsOf(transcript: Transcript): number {
  return rootAgent(transcript)?.runs.length ?? 0
}

function blocksOf(transcript: Transcript, agent: string | undefined) {
  const node = agent === undefined ? rootAgent(transcript) : agentOf(transcript, agent)
  return node?.blocks ?? { length: 0, at: () => undefined }
}

function isShown(transcript: Transcript, { text, after, agent }: SteeringMessage): boolean {
  const blocks = blocksOf(transcript, agent)
  for (let position = after; position < blocks.length; position++) {
    const block = blocks.at(position)
    if (block?.type === 'user_message' && block.text === text) return true
  }
  return false
}

/**
 * Sends a prompt that names uploaded files, then reads the run. Rejects with a message for the user if the server does
 * not accept it.
 */
async function askWithFiles(
  session: Session,
  text: string,
  files: readonly UploadedFile[],
): Promise<void> {
  const { url, headers, runFields, fetch = globalThis.fetch } = session.options
  const fields = typeof headers === 'function' ? await headers() : headers
  const response = await fetch(`${url.replace(/\/$/, '')}/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...fields },
    body: JSON.stringify({
      ...runFields,
      agent_uuid: session.id,
      user_prompt: [...files.map(toBlock), ...(text === '' ? [] : [{ type: 'text', text }])],
    }),
  }).catch(() => {
    throw new Error('The server could not be reached.')
  })
  if (!response.ok) throw new Error(await readErrorMessage(response))
  // The run continues on the server and is read like any other.
  await response.body?.cancel()
  await session.watch()
}

function toBlock({ id, name, mediaType }: UploadedFile): object {
  const source = { type: 'file', file_id: id }
  if (mediaType.startsWith('image/')) return { type: 'image', source }
  return { type: 'document', source, title: name }
}

async function readErrorMessage(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined)
  const message = readString(readField(body, 'error'), 'message')
  return message ?? `The server responded with status ${response.status}.`
}
