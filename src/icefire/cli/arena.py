"""The arena: run a competition, or take part in one."""

from __future__ import annotations

import typer

from icefire.cli import arena_host, arena_login, arena_player, arena_receipts, arena_records
from icefire.cli.arena_extra import needs_arena

app = typer.Typer(
    help="Competitions: teams anonymise, attack one another, and one judge scores.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
audit = typer.Typer(help="The log of a competition.", no_args_is_help=True, rich_markup_mode=None)
receipt = typer.Typer(help="Receipts of what was handed in.", no_args_is_help=True, rich_markup_mode=None)

for command in (
    arena_host.demo,
    arena_host.init,
    arena_host.admin,
    arena_host.serve,
    arena_host.worker,
    arena_records.doctor,
    arena_records.export,
    arena_login.login,
    arena_login.logout,
    arena_player.status,
    arena_player.submit,
    arena_player.withdraw,
    arena_player.download,
    arena_player.attack,
):
    app.command()(needs_arena(command))
app.command("import")(needs_arena(arena_records.import_))
audit.command("verify")(needs_arena(arena_records.verify_log))
receipt.command("verify")(needs_arena(arena_receipts.verify_receipt))
app.add_typer(audit, name="audit")
app.add_typer(receipt, name="receipt")
