/** What the person asked. */
export function UserBubble({ text }: { readonly text: string }) {
  return (
    <div className="user-row">
      <div className="user-bubble">
        <span className="visually-hidden">You asked: </span>
        {text}
      </div>
    </div>
  )
}
