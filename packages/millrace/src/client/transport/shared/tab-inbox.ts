import type { Frame } from '../../session.ts'
import type { TabChannel, TabMessage } from './tab-channel.ts'

/** The bound of an inbox, and whom it tells. */
export interface TabInboxOptions {
  readonly createChannel: (name: string) => TabChannel
  /** Frames that are held for a session which does not read at the moment. */
  readonly maxHeldFrames: number
  /** Something came: frames, or a sign of life. */
  readonly onNews: () => void
}

/** What a tab has heard of the stream that another reads, and what it tells of one that it reads itself. */
export class TabInbox {
  /** The id before the first frame that is held: what came until then has to be read from the server. */
  base = 0
  /** The last id that was heard of. */
  position = 0
  /** Under which name it shares. */
  name = ''
  /** Where this tab stands, while it reads for all. */
  ownPosition: (() => number) | undefined
  #held: Frame[] = []
  #waiting: (() => void)[] = []
  #isClosed = false
  #channel: TabChannel | undefined
  readonly #options: TabInboxOptions

  constructor(options: TabInboxOptions) {
    this.#options = options
  }

  /** Listens to the tabs that share under a name, and no longer to others. */
  join(name: string): void {
    if (name === this.name || this.#isClosed) return
    this.#channel?.close()
    this.#held = []
    this.base = this.position = 0
    this.name = name
    this.#channel = this.#options.createChannel(name)
    this.#channel.listen((message) => this.#hear(message))
  }

  /** The frames that are held, which are then held no more. */
  take(): readonly Frame[] {
    const frames = this.#held
    this.#held = []
    this.base = this.position
    return frames
  }

  /** Resolves when something comes. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Asks who reads, and up to where; false if nobody answers in time. */
  async isLed(timeoutMs: number): Promise<boolean> {
    let timer
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), timeoutMs)
    })
    const heard = this.next().then(() => true)
    this.#post({ kind: 'hello' })
    const isLed = await Promise.race([heard, late])
    clearTimeout(timer)
    return isLed
  }

  /** Tells the others what was read after an id. */
  tell(after: number, frames: readonly Frame[]): void {
    this.#post({ kind: 'frames', after, frames })
  }

  close(): void {
    this.#isClosed = true
    this.#channel?.close()
  }

  #post(message: TabMessage): void {
    if (!this.#isClosed) this.#channel?.post(message)
  }

  #hear(message: TabMessage): void {
    if (message.kind === 'hello') {
      if (this.ownPosition) this.#post({ kind: 'here', id: this.ownPosition() })
      return
    }
    if (message.kind === 'here') this.#moveTo(message.id)
    else this.#hold(message.after, message.frames)
    for (const resolve of this.#waiting.splice(0)) resolve()
    this.#options.onNews()
  }

  #hold(after: number, frames: readonly Frame[]): void {
    this.#moveTo(after)
    for (const frame of frames) {
      this.#held.push(frame)
      this.position = frame.id ?? this.position
    }
    if (this.#held.length > this.#options.maxHeldFrames) this.take()
  }

  /** What is held must be all between `base` and `position`, so frames of another place begin anew. */
  #moveTo(after: number): void {
    if (after === this.position) return
    this.#held = []
    this.base = this.position = after
  }
}
