/** The name of a branch, which contains its fork point in its parent. */
export function branchName(from: string, frame: number): string {
  return `${from}/${frame}`
}

/** The session that wrote a frame of a session, by the name of that session. */
export function writerOf(session: string, frame: number): string {
  const cut = session.lastIndexOf('/')
  return cut >= 0 && frame <= Number(session.slice(cut + 1))
    ? writerOf(session.slice(0, cut), frame)
    : session
}
