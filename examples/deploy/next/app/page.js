export default function Page() {
  return <p>The agent is at /api/mill.</p>
}
