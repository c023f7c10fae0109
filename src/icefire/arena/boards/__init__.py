"""What each actor may see of a round: facts, boards, matrix, frozen board, ceremony, exports."""
