import type { Connection, OutgoingPrompt, Session, SessionSnapshot } from '../client/index.ts'
import type { TranscriptError, TranscriptStatus } from '../client/transcript/index.ts'
import { useSession } from './use-session.ts'

/** State and commands of a session, for a component that controls it. */
export interface AgentHandle extends Pick<Session, 'run' | 'answer' | 'watch'> {
  readonly status: TranscriptStatus
  /** Error of the last run, if it failed. */
  readonly error: TranscriptError | undefined
  readonly connection: Connection
  /** A prompt that is not in the transcript yet, or that did not arrive. */
  readonly prompt: OutgoingPrompt | undefined
}

const status = ({ transcript }: SessionSnapshot): TranscriptStatus => transcript.status
const error = ({ transcript }: SessionSnapshot): TranscriptError | undefined => transcript.error
const connection = (snapshot: SessionSnapshot): Connection => snapshot.connection
const prompt = (snapshot: SessionSnapshot): OutgoingPrompt | undefined => snapshot.prompt

/** Returns the state of a session, without a render for each chunk of text. */
export function useAgent(session: Session): AgentHandle {
  return {
    status: useSession(session, status),
    error: useSession(session, error),
    connection: useSession(session, connection),
    prompt: useSession(session, prompt),
    run: session.run,
    answer: session.answer,
    watch: session.watch,
  }
}
