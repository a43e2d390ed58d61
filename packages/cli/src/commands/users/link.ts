import type { Command } from 'commander'
import { useInstallation } from '../../installation/use-installation.ts'
import { newCommand } from '../../options/new-command.ts'

export function buildCommand(): Command {
  return newCommand('link')
    .description(`Create a link that signs a user in to the console. The link works once, within ten minutes, even if
the server accepts only single sign-on (MUSTER_SIGN_IN=sso). Anyone with the link can sign in as the user. The session
ends after 12 hours. The command connects to the database in DATABASE_URL or, by default, to the embedded database in
MUSTER_DATA, whether or not a server is running.`)
    .argument('<email>', "user's email address")
    .action(run)
}

async function run(email: string, { json }: { json?: boolean }): Promise<void> {
  const { linkUser } = await import('@muster/server/features/users/user-administration.ts')
  const created = await useInstallation(async ({ db, url }) => {
    const { token, ...user } = await linkUser(db, email, new Date())
    return { ...user, link: `${url}/sign-in-link#${token}` }
  })
  if (json) return console.log(JSON.stringify(created))
  console.log(created.link)
  console.error(`With this link, ${created.email} can sign in once, within ten minutes.`)
}
