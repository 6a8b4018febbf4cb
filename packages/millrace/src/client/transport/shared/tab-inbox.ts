import type { Frame } from '../../session.ts'
import type { TabChannel, TabMessage } from './tab-channel.ts'

interface TabInboxOptions {
  readonly createChannel: (name: string) => TabChannel
  /** Maximum number of frames held for a session that is not reading. */
  readonly maxHeldFrames: number
  /** Called after each message: frames or a heartbeat. */
  readonly onNews: () => void
}

/** Frames and messages between this tab and others that share a stream. */
export class TabInbox {
  /** Id before the first held frame. Earlier frames must be read from the server. */
  base = 0
  /** The last received id. */
  position = 0
  /** Name that sharing tabs have in common. */
  name = ''
  /** Returns the position of this tab while it reads for all. */
  ownPosition: (() => number) | undefined
  #held: Frame[] = []
  #waiting: (() => void)[] = []
  #isClosed = false
  #channel: TabChannel | undefined
  readonly #options: TabInboxOptions

  constructor(options: TabInboxOptions) {
    this.#options = options
  }

  /** Joins the tabs with a name, and leaves those with another. */
  join(name: string): void {
    if (name === this.name || this.#isClosed) return
    this.#channel?.close()
    this.#held = []
    this.base = this.position = 0
    this.name = name
    this.#channel = this.#options.createChannel(name)
    this.#channel.listen((message) => this.#receive(message))
  }

  /** Removes and returns the held frames. */
  take(): readonly Frame[] {
    const frames = this.#held
    this.#held = []
    this.base = this.position
    return frames
  }

  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Asks which tab reads, and its position; false if none replies in time. */
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

  /** Sends frames after an id to the other tabs. */
  broadcast(after: number, frames: readonly Frame[]): void {
    this.#post({ kind: 'frames', after, frames })
  }

  close(): void {
    this.#isClosed = true
    this.#channel?.close()
  }

  #post(message: TabMessage): void {
    if (!this.#isClosed) this.#channel?.post(message)
  }

  #receive(message: TabMessage): void {
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

  /** Drops the held frames if others do not follow them, because `base` to `position` must be complete. */
  #moveTo(after: number): void {
    if (after === this.position) return
    this.#held = []
    this.base = this.position = after
  }
}
