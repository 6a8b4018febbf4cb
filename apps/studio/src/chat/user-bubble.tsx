interface UserBubbleProps {
  readonly text: string
  /** It was said while the agent worked, not to begin with. */
  readonly meanwhile?: boolean
}

/** What the person asked, or told the agent while it worked. */
export function UserBubble({ text, meanwhile = false }: UserBubbleProps) {
  return (
    <div className="user-row" data-meanwhile={meanwhile || undefined}>
      <div className="user-bubble">
        <span className="visually-hidden">
          {meanwhile ? 'You said meanwhile: ' : 'You asked: '}
        </span>
        {text}
      </div>
    </div>
  )
}
